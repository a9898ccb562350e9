"""Every variable and every YAML file in deploy/ is what the program and other tools read."""

import re
from pathlib import Path
from typing import Final

from gatehouse.settings.settings import ENV_FILE, declarations
from tests.installed_programs import ROOT, run

DEPLOY: Final = ROOT / "deploy"


def test_every_variable_that_is_named_is_a_setting() -> None:
    known = {variable for variable, _, _ in declarations()} | {ENV_FILE}
    named = {
        (str(path.relative_to(ROOT)), variable)
        for path in DEPLOY.rglob("*")
        if path.is_file() and "secrets" not in path.parts
        for variable in re.findall(r"\bGATEHOUSE_[A-Z0-9_]+\b", path.read_text())
    }
    assert len(named) > 30
    assert {one for one in named if one[1] not in known} == set()


def test_yaml_is_tidy(tools: Path) -> None:
    files = [
        path
        for path in DEPLOY.rglob("*.y*ml")
        # Those are templates, which are YAML only once they are rendered.
        if "templates" not in path.parts
    ]
    rules = (
        "{extends: default, rules: {line-length: disable, document-start: disable, "
        "comments: {min-spaces-from-content: 1}}}"
    )
    run([tools / "yamllint", "--strict", "-d", rules, *files], ROOT)
