"""A word for whoever mistyped a name: the nearest one that exists, or all there are."""

import difflib
from collections.abc import Collection


def suggestion(name: str, known: Collection[str]) -> str:
    """One sentence that names the known name nearest to `name`, or every known one when none is near."""
    folded = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), folded, n=1)
    if near:
        return f"Did you mean '{folded[near[0]]}'?"
    return f"Known are: {', '.join(sorted(known))}."
