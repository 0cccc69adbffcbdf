import pytest

from legio.local.model.samples import MARKDOWN, words


@pytest.mark.parametrize("count", [0, 1, 79, 80, 81, 1000])
def test_words_are_exactly_as_many_as_asked_for(count: int) -> None:
    assert len(words(count).split()) == count


def test_words_stand_in_paragraphs() -> None:
    assert words(161).count("\n\n") == 2


def test_the_sample_shows_what_a_renderer_has_to_bear() -> None:
    for sign in ("# ", "**", "~~", "```python", "| name |", "> ", "- [x]", "](", "<tag>", "snake_case", "||"):
        assert sign in MARKDOWN
