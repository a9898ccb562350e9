"""gatehouse doctor: the go-live list."""

import os

import typer

from gatehouse.cli.arguments import AsJson
from gatehouse.cli.opening import read_settings
from gatehouse.cli.output import show
from gatehouse.settings import unknown_variables


def doctor(as_json: AsJson = False) -> None:
    """Go through the go-live list; each point that is open says what to do."""
    from gatehouse.admin.go_live import inspect

    report = inspect(read_settings(), unknown_variables(os.environ))
    lines = []
    for point in report.points:
        mark = "ok  " if point.ok else "OPEN" if point.needed else "hint"
        lines.append(f"{mark}  {point.name}: {point.found}")
        if not point.ok:
            lines.append(f"      to do: {point.remedy}")
    lines.append("ready for production" if report.ready else "not ready for production")
    show(report, "\n".join(lines), as_json=as_json)
    if not report.ready:
        raise typer.Exit(1)
