"""gatehouse top-ups: the commands follow from the use cases."""

from gatehouse.admin.derived_commands import commands_of

app = commands_of("gatehouse.admin.top_ups.use_cases")
