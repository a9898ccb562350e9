"""gatehouse trial: the commands follow from the use cases."""

from gatehouse.admin.derived_commands import commands_of

_HERE = "gatehouse.admin.model_trials.use_cases"

app = commands_of(f"{_HERE}.trials")
app.add_typer(commands_of(f"{_HERE}.shadows"), name="shadow", help="A model that scores beside it.")
