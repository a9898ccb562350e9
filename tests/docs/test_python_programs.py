"""The programs that pages show for the Python client pass `mypy --strict`, as they stand."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.docs.pages import ROOT, blocks

_PROGRAM: Final = re.compile(r"^cat > (\w+\.py) <<'END'\n(.*?)^END$", re.MULTILINE | re.DOTALL)


def test_what_is_shown_of_the_client_has_its_types(tmp_path: Path) -> None:
    shown = dict(_PROGRAM.findall((ROOT / "docs/quickstart-python.md").read_text()))
    readme = blocks((ROOT / "clients/python/README.md").read_text())
    shown |= {f"readme_{n}.py": one.text for n, one in enumerate(readme) if one.kind == "python"}
    assert len(shown) >= 10
    for name, text in shown.items():
        (tmp_path / name).write_text(text)
    # With the project's own settings, what was checked of the client before need not be again.
    command = [sys.executable, "-m", "mypy", "--strict", *(str(tmp_path / name) for name in shown)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
