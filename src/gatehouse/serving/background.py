"""The process beside a server that does what no request waits for."""

import asyncio
from typing import Final

from gatehouse.access.actors import Actor
from gatehouse.settings.settings import Settings

BACKGROUND_PLACE: Final = "background"
"""What the process is told on its command line, as workers are told theirs."""


def work_beside(settings: Settings) -> None:
    """Work until the server that started this process is gone."""
    import uvloop

    import gatehouse.operations.stages  # noqa: F401  # registers the stages, whose records are told
    from gatehouse.cli.hints import hinted
    from gatehouse.core.wording.log_lines import configure_logging
    from gatehouse.operations import installation
    from gatehouse.workers.background.process import BackgroundProcess

    configure_logging(settings.log_level, say=hinted)
    session = installation.open_admin_session(settings, Actor.system("server"))

    async def work() -> None:
        await BackgroundProcess(settings, session).run()

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(work())
    finally:
        session.database.dispose()
