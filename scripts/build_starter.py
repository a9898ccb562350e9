"""Reads the starter rule set and the starter pipelines into the programs that servers run.

Run it after a change of one of the YAML files; a test holds files and programs together. Account
creation copies both, so that it needs neither a YAML reader nor the language.
"""

from pathlib import Path

import gatehouse.operations.stages  # noqa: F401  # registers the stages
from gatehouse.pipeline import authoring as pipelines
from gatehouse.pipeline import definition
from gatehouse.rules import authoring as rules
from gatehouse.rules import ruleset

ROOMS = Path(__file__).parent.parent / "src" / "gatehouse"


def main() -> None:
    made = {}
    starter = ROOMS / "rules" / "starter.yaml"
    made[starter] = ruleset.encode_program(rules.read_rule_set(starter.read_bytes()))
    for path in sorted((ROOMS / "pipeline").glob("starter_*.yaml")):
        made[path] = definition.encode_program(pipelines.read_pipeline(path.read_bytes()))
    for path, program in made.items():
        path.with_suffix(".json").write_text(f"{program}\n", encoding="utf-8")
        print(f"{path.stem}: {len(program):,} characters")


if __name__ == "__main__":
    main()
