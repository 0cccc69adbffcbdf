"""The front matter of a prompt set anew, key by key: what nobody changed stays as its owner wrote it.

Comments, the order of keys and the body are kept to the letter. Whether the outcome can be used is decided
where it is read.
"""

from collections.abc import Mapping

import yaml

from legio.errors import Refused
from legio.roster.profile import FENCE


def altered(text: str, changes: Mapping[str, object]) -> str:
    """`text`, a `prompt.md` that can be used, with these keys set; None or an empty tuple takes a key out.

    Raises `Refused` for a text without front matter that could be set.
    """
    lines = [f"{line}\n" for line in text.split("\n")]
    fences = [number for number, line in enumerate(lines) if line.lstrip("\ufeff").rstrip() == FENCE]
    if len(fences) < 2 or fences[0] != 0:
        raise Refused("this prompt has no front matter.", remedy="Write it in the prompt itself.")
    head = "".join(lines[1 : fences[1]])
    for key, value in changes.items():
        head = _with(head, key, value)
    return "".join([lines[0], head, *lines[fences[1] :]])[:-1]  # the last line had no end of its own


def _with(head: str, key: str, value: object) -> str:
    """The front matter with one key set, or without it."""
    line = "" if value in (None, ()) else _line(key, value)
    place = _place(head, key)
    if place is None:
        return head + line
    start, end = place
    return head[:start] + line + head[end:]


def _line(key: str, value: object) -> str:
    """One key as a line; PyYAML's `None` puts the innermost into brackets: the list, or else the whole."""
    listed = isinstance(value, tuple)
    given = {key: list(value) if isinstance(value, tuple) else value}
    return yaml.safe_dump(
        given, allow_unicode=True, width=float("inf"), default_flow_style=None if listed else False
    )


def _place(head: str, key: str) -> tuple[int, int] | None:
    """From where to where a key stands with its value, whole lines, or None."""
    try:
        root = yaml.compose(head, yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Refused("its front matter is not YAML.", remedy="Put it right in the prompt itself.") from error
    if not isinstance(root, yaml.MappingNode):
        return None
    if root.flow_style:
        raise Refused(
            "its front matter stands in braces, which only a hand can change.",
            remedy="Write one 'key: value' a line in the prompt itself.",
        )
    for name, value in root.value:
        if name.value == key:
            end = _end(value)
            closed = end > 0 and head[end - 1] == "\n"
            newline = end if closed else head.find("\n", end) + 1
            return name.start_mark.index, newline or len(head)
    return None


def _end(node: yaml.Node) -> int:
    """Behind the last sign of a value: of a list in lines, of its last line, not of the comments below."""
    if isinstance(node, yaml.SequenceNode) and node.value and not node.flow_style:
        return _end(node.value[-1])
    return int(node.end_mark.index)
