"""A text as a QR code, drawn with the letters of a terminal: what a phone shall read off the screen."""

import io


def of(text: str) -> str:
    """The code, two rows of it a line; the quiet zone around it belongs to it."""
    import segno

    drawn = io.StringIO()
    segno.make(text, micro=False).terminal(out=drawn, compact=True)
    return drawn.getvalue().rstrip("\n")
