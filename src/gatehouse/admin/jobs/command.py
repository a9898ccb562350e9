"""gatehouse jobs: list, show, cancel."""

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from gatehouse.admin.opening import open_account, open_session
from gatehouse.cli.arguments import AccountOption, AsJson
from gatehouse.cli.beside import stay_beside_server
from gatehouse.cli.hints import hinted
from gatehouse.cli.output import columns, show
from gatehouse.core.clock import iso_time

if TYPE_CHECKING:
    from gatehouse.admin.jobs.use_cases import StoredJob

app = typer.Typer(no_args_is_help=True)
JobArgument = Annotated[str, typer.Argument(metavar="JOB", help="Id of the job.")]


@app.command("list")
def list_jobs(
    account: AccountOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most jobs to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the jobs of an account, newest first."""
    from gatehouse.admin.jobs import use_cases as queue

    session, account_id = open_account(account)
    data = [_data(job) for job in queue.list_jobs(session, account_id, limit=limit)]
    headings = ("JOB", "KIND", "STATE", "STARTED BY", "CREATED")
    text = columns(headings, data, ("jobId", "kind", "state", "actor", "createdAt"), "-")
    show(data, text, as_json=as_json)


@app.command("show")
def show_job(job_id: JobArgument, account: AccountOption = None, as_json: AsJson = False) -> None:
    """Show how far a job is, and its result."""
    from gatehouse.admin.jobs import use_cases as queue

    _show(queue.get_job(*open_account(account), job_id), as_json=as_json)


@app.command()
def cancel(job_id: JobArgument, account: AccountOption = None, as_json: AsJson = False) -> None:
    """End a job that waits or runs."""
    from gatehouse.admin.jobs import use_cases as queue

    _show(queue.cancel_job(*open_account(account), job_id), as_json=as_json)


@app.command("run", hidden=True)
def run(
    job_id: JobArgument, owner: Annotated[str, typer.Option(help="The server that has taken it.")]
) -> None:
    """Run a job that a server has taken; servers call this."""
    from gatehouse.admin.jobs.worker.running import run_job

    stay_beside_server()
    run_job(open_session(), job_id, owner)


def _show(job: "StoredJob", *, as_json: bool) -> None:
    data = _data(job)
    lines = [f"{name}: {hinted(value)}" for name, value in data.items() if value not in (None, "")]
    show(data, "\n".join(lines), as_json=as_json)


def _data(job: "StoredJob") -> dict[str, Any]:
    moments = {
        "createdAt": job.created_at_ms,
        "startedAt": job.started_at_ms,
        "finishedAt": job.finished_at_ms,
    }
    return {
        **{"jobId": job.id, "kind": job.kind, "state": job.state.value, "actor": job.actor},
        **{name: None if at is None else iso_time(at) for name, at in moments.items()},
        **{"done": job.done, "total": job.total, "step": job.step, "error": job.error},
        "result": None if job.result is None else msgspec.json.decode(job.result),
    }
