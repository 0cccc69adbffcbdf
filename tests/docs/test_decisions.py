import re

import pytest

from tests.docs.pages import page
from tests.tree import files

DECISIONS = [str(path) for path in files("docs/decisions")]


def test_decisions_are_numbered_without_gap() -> None:
    numbers = [int(name.split("/")[-1][:3]) for name in DECISIONS]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_has_its_number_context_decision_and_consequence(name: str) -> None:
    number = int(name.split("/")[-1][:3])
    assert page(name).startswith(f"# {number}. ")
    assert re.findall(r"^\*\*(\w+)\.\*\*", page(name), re.MULTILINE) == ["Context", "Decision", "Consequence"]


@pytest.mark.parametrize("name", DECISIONS)
def test_a_decision_fits_on_a_page(name: str) -> None:
    assert len(page(name).splitlines()) <= 40
