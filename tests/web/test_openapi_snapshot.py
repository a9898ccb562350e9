"""The OpenAPI document stays as it was, part by part, until somebody wants it changed.

Programs of merchants are written against it. A change that is wanted is recorded with
`RECORD=yes pytest tests/web/test_openapi_snapshot.py`, and the commit shows which parts it touched.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from tests.web.test_openapi import DOCUMENT

RECORDED = Path(__file__).parent / "openapi_snapshot.json"


def _digests(document: dict[str, Any]) -> dict[str, str]:
    """Every operation, every schema and the rest of the document, each with a short digest."""
    rest = {name: part for name, part in document.items() if name not in ("paths", "components")}
    parts: dict[str, Any] = {name: part for name, part in rest.items() if name != "openapi"}
    for path, item in document["paths"].items():
        parts |= {f"{method.upper()} {path}": operation for method, operation in item.items()}
    for kind, known in document["components"].items():
        parts |= {f"{kind}/{name}": each for name, each in known.items()}
    return {
        name: hashlib.sha256(json.dumps(part, sort_keys=True).encode()).hexdigest()[:16]
        for name, part in sorted(parts.items())
    }


def test_every_operation_and_schema_is_described_as_before() -> None:
    now = _digests(DOCUMENT)
    assert len(now) > 200
    if os.environ.get("RECORD") == "yes":
        RECORDED.write_text(json.dumps(now, indent=1) + "\n")
    before = json.loads(RECORDED.read_text())
    changed = {name for name in now | before if now.get(name) != before.get(name)}
    assert not changed, f"changed: {sorted(changed)}; if that is wanted, see this file"
