"""A Dockerfile as its instructions, stage by stage."""

import json
import re
from dataclasses import dataclass

from tests.tree import ROOT


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: `words` is all that follows its name, on one line."""

    name: str
    words: str

    @property
    def listed(self) -> list[str]:
        """The words of the exec form."""
        listed: list[str] = json.loads(self.words[self.words.index("[") :])
        return listed


def stages() -> list[list[Instruction]]:
    """The stages of the repository's Dockerfile, each beginning with its FROM."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = re.sub(r"\s*\\\n\s*", " ", "\n".join(lines))
    found: list[list[Instruction]] = []
    for line in joined.splitlines():
        name, _, words = line.partition(" ")
        if name == "FROM":
            found.append([])
        found[-1].append(Instruction(name, words))
    return found


def of(name: str, *, stage: int = -1) -> list[Instruction]:
    """The instructions of that name in a stage, the last one unless given."""
    return [instruction for instruction in stages()[stage] if instruction.name == name]


def one(name: str) -> Instruction:
    """The only instruction of that name in the last stage."""
    (found,) = of(name)
    return found
