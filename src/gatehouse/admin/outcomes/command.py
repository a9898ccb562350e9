"""gatehouse outcomes: list, report, candidates, join, rejoin, import."""

from gatehouse.admin.acquirer_files.command import import_file
from gatehouse.admin.derived_commands import commands_of

app = commands_of("gatehouse.admin.outcomes.use_cases.listing")
for _module in ("reporting", "joining"):
    app.registered_commands += commands_of(
        f"gatehouse.admin.outcomes.use_cases.{_module}"
    ).registered_commands
app.command("import")(import_file)
