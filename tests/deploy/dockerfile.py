"""A Dockerfile as its instructions."""

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple


class Instruction(NamedTuple):
    """One instruction, in one line."""

    word: str
    text: str

    @property
    def words(self) -> list[str]:
        """The words of a command, in either form."""
        text = self.text.partition("CMD ")[2] if self.word == "HEALTHCHECK" else self.text
        return list(json.loads(text)) if text.startswith("[") else shlex.split(text)


def instructions(file: Path) -> list[Instruction]:
    """The instructions of a file, continued lines joined and comments left out."""
    lines = [line for line in file.read_text().splitlines() if not line.lstrip().startswith("#")]
    whole = re.sub(r"\\\n\s*", "", "\n".join(lines))
    found = (line.partition(" ") for line in whole.splitlines() if line.strip())
    return [Instruction(word, text.strip()) for word, _, text in found]
