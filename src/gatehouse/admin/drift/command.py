"""gatehouse drift: list."""

from gatehouse.admin.derived_commands import commands_of

app = commands_of("gatehouse.admin.drift.use_cases")
