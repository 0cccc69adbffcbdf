"""How what is long is shown in little room: cut, with a sign that it was."""


def cut(text: str, most: int) -> str:
    """At most so many characters; the last is "…" where something was left out."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def on_one_line(text: str, most: int) -> str:
    """The same, with every run of white space made one space."""
    return cut(" ".join(text.split()), most)
