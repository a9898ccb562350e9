"""gatehouse jobs: list, show, cancel."""

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from gatehouse.admin.opening import open_account, open_session
from gatehouse.cli.arguments import AccountOption, AsJson, argument, option
from gatehouse.cli.beside import stay_beside_server
from gatehouse.cli.hints import as_hinted
from gatehouse.cli.output import columns, show

if TYPE_CHECKING:
    from gatehouse.admin.jobs.types import JobResponse

app = typer.Typer(no_args_is_help=True)
JobArgument = Annotated[str, argument("JOB", "Id of the job.")]


@app.command("list")
def list_jobs(
    account: AccountOption = None,
    limit: Annotated[int, option("Most jobs to list.", min=1, max=1000)] = 20,
    as_json: AsJson = False,
) -> None:
    """List the jobs of an account, newest first."""
    from gatehouse.admin.jobs import types, use_cases

    found = use_cases.show_jobs(*open_account(account), types.JobSearch(limit)).jobs
    data = [_data(job) for job in found]
    headings = ("JOB", "KIND", "STATE", "STARTED BY", "CREATED")
    text = columns(headings, data, ("jobId", "kind", "state", "actor", "createdAt"))
    show(data, text, as_json)


@app.command("show")
def show_job(job_id: JobArgument, account: AccountOption = None, as_json: AsJson = False) -> None:
    """Show how far a job is, and its result."""
    from gatehouse.admin.jobs import use_cases

    _show(use_cases.show_job(*open_account(account), job_id), as_json=as_json)


@app.command()
def cancel(job_id: JobArgument, account: AccountOption = None, as_json: AsJson = False) -> None:
    """End a job that waits or runs."""
    from gatehouse.admin.jobs import use_cases

    _show(use_cases.cancel_job(*open_account(account), job_id), as_json=as_json)


@app.command("run", hidden=True)
def run(
    job_id: JobArgument, owner: Annotated[str, option("The server that has taken it.")]
) -> None:
    """Run a job that a server has taken; servers call this."""
    from gatehouse.admin.jobs.worker.running import run_job

    stay_beside_server()
    run_job(open_session(), job_id, owner)


def _show(job: "JobResponse", *, as_json: bool) -> None:
    data = _data(job)
    lines = [f"{name}: {value}" for name, value in data.items() if value not in (None, "")]
    show(data, "\n".join(lines), as_json)


def _data(job: "JobResponse") -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(job, enc_hook=as_hinted)
    return {"actor" if name == "startedBy" else name: value for name, value in data.items()}
