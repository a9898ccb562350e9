"""gatehouse sentry rebuild: fill the memory that servers share from the decision records."""

from typing import Annotated

import msgspec

from gatehouse.access.actors import Actor
from gatehouse.admin.opening import open_session, read_settings
from gatehouse.cli.arguments import AsJson, option
from gatehouse.cli.beside import stay_beside_server
from gatehouse.cli.output import show
from gatehouse.cli.progress import Progress


def rebuild(
    as_json: AsJson = False,
    beside_server: Annotated[
        bool, option("A server has started it.", "--beside-server", hidden=True)
    ] = False,
) -> None:
    """Rebuild the memory at GATEHOUSE_MEMORY_URL from the decision records, while servers serve.

    All that it holds of this installation is deleted first; until the rebuild is done, Sentry knows
    less of the past. The records of the last GATEHOUSE_MEMORY_DAYS days are read. Without a shared
    memory each server rebuilds its own when it starts.
    """
    from gatehouse.admin.memory.use_cases.rebuilding import rebuild_memory

    settings, session = read_settings(), open_session()
    if beside_server:
        stay_beside_server()
        session = session.acting_as(Actor.system("memory"))
    with Progress("rebuilding", None) as progress:
        done = rebuild_memory(session, settings, progress.reached_record)
    text = (
        f"{done.events:,} events and {done.refusals:,} refused payments of the last {done.days} "
        f"days are in the shared memory again, from {done.records:,} records; "
        f"{done.deleted_keys:,} keys were deleted before. It took {done.seconds:.1f} s."
    )
    show(msgspec.to_builtins(done), text, as_json)
