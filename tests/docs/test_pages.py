import posixpath
import re
from urllib.parse import urlsplit

import pytest

from tests.docs.pages import PAGES, anchors, links, page, spans
from tests.tree import ROOT

OURS = ("legio/", "tests/", "docs/", ".ci/")


def test_there_are_pages() -> None:
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/design.md"} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_a_link_within_the_repository_leads_somewhere(name: str) -> None:
    for link in links(name):
        parts = urlsplit(link)
        if parts.scheme:
            continue
        target = (
            posixpath.normpath(posixpath.join(posixpath.dirname(name), parts.path)) if parts.path else name
        )
        assert (ROOT / target).exists(), link
        if parts.fragment:
            assert parts.fragment in anchors(target), link


@pytest.mark.parametrize("name", PAGES)
def test_a_file_that_is_named_exists(name: str) -> None:
    named = [span for span in spans(name) if span.startswith(OURS) and "<" not in span]
    assert [span for span in named if not (ROOT / span).exists()] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_name_that_is_said_to_be_in_a_file_is_there(name: str) -> None:
    for what, where in re.findall(r"`(\w+)`\s+in\s+`(legio/[\w/]+\.py)`", page(name)):
        assert what in (ROOT / where).read_text(encoding="utf-8"), f"{what} in {where}"


def test_the_pictures_are_small_enough_to_be_kept() -> None:
    weights = {}
    for path in (ROOT / "docs").rglob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")
        weights[path.name] = path.stat().st_size
    assert "page.png" in weights
    assert max(weights.values()) < 150_000
    assert sum(weights.values()) < 1_500_000
