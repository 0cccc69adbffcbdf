"""The longer texts the recruit says: words without end, and a sample of all formatting."""

from itertools import cycle, islice

LOREM = """\
gallia est omnis divisa in partes tres quarum unam incolunt belgae aliam aquitani tertiam qui ipsorum
lingua celtae nostra galli appellantur hi omnes lingua institutis legibus inter se differunt"""
WORDS_IN_PARAGRAPH = 80

MARKDOWN = """\
# A heading

Plain, **bold**, *italic*, ***both***, ~~struck~~, `code`, ||hidden|| and a [link](https://example.org/a_(b)).

> A quote
> of two lines

1. first
2. second
   - nested
   - [x] done

| name | task |
|---|---|
| vorenus | research |
| pullo | building |

```python
def salute(name: str) -> str:
    return f"Ave, {name} <{len(name)}>!"
```

---
An identifier snake_case_name, 2 * 3 * 4, a <tag>, an &amp; and an emoji ⚔️ at the end."""


def words(count: int) -> str:
    """Exactly `count` words, in paragraphs."""
    supply = list(islice(cycle(LOREM.split()), count))
    starts = range(0, count, WORDS_IN_PARAGRAPH)
    return "\n\n".join(" ".join(supply[start : start + WORDS_IN_PARAGRAPH]) for start in starts)
