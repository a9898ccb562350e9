"""gatehouse reports: the commands follow from the use cases, but for making one now."""

from typing import Annotated

from gatehouse.admin.derived_commands import commands_of
from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, argument
from gatehouse.cli.output import show_result
from gatehouse.core.reading.given import read_given

app = commands_of("gatehouse.admin.reports.use_cases.reports")
app.registered_commands = [each for each in app.registered_commands if each.name != "start"]
_settings = commands_of("gatehouse.admin.reports.use_cases.settings")
for _each in _settings.registered_commands:
    _each.name = {"show": "settings", "set": "set"}[_each.name or ""]
app.registered_commands += _settings.registered_commands


@app.command("make")
def make(
    month: Annotated[str, argument("YYYY-MM", "The month.")],
    account: AccountOption = None,
    as_json: AsJson = False,
) -> None:
    """Make the report on a month now, in place of one that was made before."""
    from gatehouse.admin.reports.types.report import ReportWanted
    from gatehouse.admin.reports.use_cases.making import make_report_now
    from gatehouse.admin.reports.use_cases.reports import check_begun

    wanted = read_given(ReportWanted, {"month": month})
    opened = open_account(account)
    check_begun(*opened, wanted.month)
    show_result(make_report_now(*opened, wanted.month), as_json)
