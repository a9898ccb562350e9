"""The pipelines that every new account begins with: their files and their checked form."""

import functools
from importlib import resources
from typing import Final

STARTER_NUMBERS: Final = ("1", "2")


@functools.cache
def starter_pipelines() -> tuple[tuple[str, str, str], ...]:
    """Name, document and program of each."""
    folder = resources.files("gatehouse.pipeline")
    return tuple(
        (
            number,
            folder.joinpath(f"starter_{number}.yaml").read_text("utf-8"),
            folder.joinpath(f"starter_{number}.json").read_text("utf-8").strip(),
        )
        for number in STARTER_NUMBERS
    )
