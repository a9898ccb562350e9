"""gatehouse top-ups and auto-top-up: the commands follow from the use cases."""

from gatehouse.admin.derived_commands import commands_of

app = commands_of("gatehouse.admin.top_ups.use_cases.top_ups")
limit = commands_of("gatehouse.admin.top_ups.use_cases.limits")
automatic = commands_of("gatehouse.admin.top_ups.use_cases.auto_top_ups")
