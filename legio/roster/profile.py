"""A `prompt.md` as a value: YAML front matter between two lines `---`, and below it what the agent is.

All that is wrong with a file is told at once. Where the file lies and when it is read again is the
register's business.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from legio.config.rules import Choice, Rule, Text, Whole, Wrong, found
from legio.config.spelling import suggestion
from legio.errors import ProfileError

FENCE = "---"

_LONE_SURROGATE = re.compile("[\\ud800-\\udfff]")
"""Half of a sign, which JSON can bring and UTF-8 cannot write."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What an agent is: `prompt` is the body of his `prompt.md`, the rest its front matter.

    `tools` are built-in tools that run unasked, `asks` those that need Caesar's word each time. None means
    that the configuration decides.
    """

    name: str
    description: str
    prompt: str
    model: str | None = None
    effort: str | None = None
    history_window: int | None = None
    tools: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Names:
    """A list of tools' names, each once."""

    @property
    def name(self) -> str:
        """What it looks like."""
        return "a list such as [Read, WebSearch]"

    def read(self, raw: object) -> tuple[str, ...] | Wrong:
        """The names in their order."""
        names = [Text().read(item) for item in raw] if isinstance(raw, list) else [Wrong("", "")]
        wanted = tuple(name for name in names if isinstance(name, str))
        if len(wanted) < len(names):
            return Wrong(f"found {found(raw)}.", f"Expected is {self.name}.")
        return tuple(dict.fromkeys(wanted))


FIELDS: Mapping[str, Rule] = {
    "description": Text(),
    "model": Text(),
    "effort": Choice(("low", "medium", "high", "xhigh", "max")),
    "history_window": Whole(0, 500),
    "tools": Names(),
    "ask": Names(),
}
"""The keys of the front matter; all but the description may be left away."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that is wrong with a prompt, and in which line, counted from 1, if it stands in one."""

    said: str
    line: int | None = None

    def __str__(self) -> str:
        return self.said if self.line is None else f"line {self.line}: {self.said}"


def examine(name: str, text: str) -> Profile | tuple[Flaw, ...]:
    """The profile that a file's `text` holds, or all that is wrong in it."""
    flaws: list[Flaw] = []
    head, body = _divided(text.removeprefix("\ufeff").replace("\r\n", "\n"), flaws)
    given = {} if head is None else _checked(_front_matter(head, flaws), _lines(head), flaws)
    if half := _LONE_SURROGATE.search(text):
        line = text.count("\n", 0, half.start()) + 1
        flaws.append(Flaw("it holds a sign that no text file can hold. Take it out.", line))
    if not body.strip():
        flaws.append(Flaw("there is no text below the front matter. Write what the agent is and does."))
    if flaws:
        return tuple(flaws)
    asks = given.pop("ask", ())
    return Profile(name=name, prompt=body.strip(), asks=asks, **given)  # type: ignore[arg-type]


def parse(name: str, text: str, *, where: str) -> Profile:
    """The profile that a file's `text` holds; raises `ProfileError` with all that is wrong in it."""
    found = examine(name, text)
    if isinstance(found, Profile):
        return found
    lines = "".join(f"\n  - {flaw}" for flaw in found)
    raise ProfileError(f"this prompt cannot be used:{lines}", where=where)


def completed(text: str, description: str) -> str:
    """`text` itself if it has front matter, else with one that holds the description in front of it."""
    if text.startswith(f"{FENCE}\n"):
        return text
    head = yaml.safe_dump({"description": description}, allow_unicode=True, width=float("inf"))
    return f"{FENCE}\n{head}{FENCE}\n\n{text.strip()}\n"


def _divided(text: str, flaws: list[Flaw]) -> tuple[str | None, str]:
    """Front matter and body; None, and the whole as body, where there is no front matter."""
    lines = text.split("\n")
    fences = [number for number, line in enumerate(lines) if line.rstrip() == FENCE]
    if not fences or fences[0] != 0:
        flaws.append(Flaw(f"there is no front matter. Begin with a line {FENCE}, then 'description: …'."))
    elif len(fences) == 1:
        flaws.append(Flaw(f"the front matter has no end. End it with a line {FENCE}."))
    else:
        return "\n".join(lines[1 : fences[1]]), "\n".join(lines[fences[1] + 1 :])
    return None, text


def _front_matter(head: str, flaws: list[Flaw]) -> Mapping[object, object]:
    try:
        loaded = yaml.safe_load(head)
    except yaml.MarkedYAMLError as error:
        line = _line(error.problem_mark) if error.problem_mark else None
        said = f"this is not YAML ({error.problem}). Put a text that holds ':' in quotes."
        flaws.append(Flaw(said, line))
    except (yaml.YAMLError, ValueError, RecursionError):
        flaws.append(Flaw("the front matter is not YAML. Write one 'key: value' a line."))
    else:
        if isinstance(loaded, dict):
            return loaded
        flaws.append(Flaw("the front matter holds no keys. Write at least 'description: …'."))
    return {"description": "-"}  # nothing more can be said of the keys


def _lines(head: str) -> Mapping[str, int]:
    """In which line of the file each key stands; none where the front matter is broken."""
    try:
        node = yaml.compose(head, yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return {key.value: _line(key.start_mark) for key, _ in pairs if isinstance(key, yaml.ScalarNode)}


def _line(mark: yaml.Mark) -> int:
    """The mark counts from 0, and the line `---` stands before the front matter."""
    return mark.line + 2


def _checked(
    given: Mapping[object, object], lines: Mapping[str, int], flaws: list[Flaw]
) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, raw in given.items():
        rule, line = FIELDS.get(str(key)), lines.get(str(key))
        if rule is None:
            flaws.append(Flaw(f"there is no key '{key}'. {suggestion(str(key), FIELDS)}", line))
        elif raw is not None:
            value = rule.read(raw)
            if isinstance(value, Wrong):
                flaws.append(Flaw(f"{key}: {value.what} {value.remedy}", line))
            values[str(key)] = value
    if "description" not in values:
        flaws.append(Flaw("the description is missing. Say in one line what this agent is for."))
    twice = _granted_twice(values.get("tools"), values.get("ask"))
    flaws.extend(Flaw(f"ask: {name} stands in tools as well. Keep one.", lines.get("ask")) for name in twice)
    return values


def _granted_twice(tools: object, asks: object) -> list[str]:
    if not isinstance(tools, tuple) or not isinstance(asks, tuple):
        return []
    return [name for name in asks if name in tools]
