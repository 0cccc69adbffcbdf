import re

from tests.docs.pages import page, section
from tests.tree import ROOT, files


def entries() -> list[str]:
    """The words with an entry, a plural after its singular."""
    heads = re.findall(r"^(\*\*.+)\n:", page("docs/glossary.md"), re.MULTILINE)
    return [word for head in heads for word in re.findall(r"\*\*(\w+)\*\*", head)]


def words() -> list[str]:
    """The words that the design admits."""
    listed = section("docs/design.md", "## The words").partition("):")[2].partition(". All else")[0]
    return re.findall(r"\w+", listed)


def test_each_word_of_the_design_has_exactly_one_entry_and_no_other_word_has() -> None:
    assert entries() == words()


def test_each_word_is_used_in_the_code() -> None:
    code = "\n".join(
        (ROOT / path).read_text(encoding="utf-8") for path in files("legio") if path.suffix == ".py"
    )
    assert [word for word in entries() if not re.search(rf"{word}", code, re.IGNORECASE)] == []
