"""Commands that follow from use cases, for subjects that have nothing better to show.

Names in the path become arguments, fields of what is given and searched for become options, with
the descriptions that the API has. A result is a table, or a sheet of its fields; `--json` is what
the API answers.
"""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

import msgspec
import typer

from gatehouse.admin.opening import open_account
from gatehouse.cli.arguments import AccountOption, AsJson, DryRun, argument, option
from gatehouse.cli.output import show_result
from gatehouse.core.clock import Moment
from gatehouse.core.reading.given import read_given
from gatehouse.store.admin.use_case import Precondition, Tagged, UseCase, use_cases_in

_VERBS: Final = {"get": "show"}


def commands_of(module: str) -> typer.Typer:
    """A group with a command for each use case of a module, which is imported now."""
    app = typer.Typer(no_args_is_help=True)
    for case in use_cases_in(import_module(module)):
        verb = case.__name__.partition("_")[0]
        app.command(_VERBS.get(verb, verb))(_command(case))
    return app


def _command(case: UseCase[..., Any]) -> Callable[..., None]:
    hints = get_type_hints(case.function, include_extras=True)
    given = [one for one in [*inspect.signature(case.function).parameters][2:] if one in hints]
    asked = {
        name: [*_options(hints[name])] if _is_struct(hints[name]) else None
        for name in given
        if hints[name] is not Precondition
    }

    def run(account: str | None, as_json: bool, **typed: Any) -> None:
        arguments = {
            name: typed[name]
            if fields is None
            else read_given(hints[name], {one.name: typed[one.name] for one in fields})
            for name, fields in asked.items()
        }
        done = case(*open_account(account), **arguments)
        result = asyncio.run(done) if inspect.iscoroutine(done) else done
        show_result(result.answer if isinstance(result, Tagged) else result, as_json)

    parameters = [
        *(_argument(name, hints[name]) for name, fields in asked.items() if fields is None),
        *(one for fields in asked.values() for one in fields or ()),
        _option("account", AccountOption, None),
        _option("as_json", AsJson, False),
    ]
    run.__doc__ = f"{case.summary}.\n\n{case.about}"
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    return run


def _argument(name: str, hint: Any) -> inspect.Parameter:
    if name == "dry_run":
        return _option(name, DryRun, False)
    about = argument(name.removesuffix("_id").upper(), _about(hint))
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[str, about])


def _options(kind: type[msgspec.Struct]) -> Iterator[inspect.Parameter]:
    """An option for each field of a struct."""
    hints = get_type_hints(kind, include_extras=True)
    for field in msgspec.structs.fields(kind):
        default: Any = inspect.Parameter.empty
        if field.default is not msgspec.NODEFAULT:
            default = None if field.default is msgspec.UNSET else field.default
        elif field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        help_text = option(_about(hints[field.name]))
        yield _option(field.name, Annotated[_plain_type(hints[field.name]), help_text], default)


def _option(name: str, hint: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _plain_type(hint: Any) -> Any:
    """A type as typer knows it."""
    if get_origin(hint) is Annotated:
        return _plain_type(get_args(hint)[0])
    if get_origin(hint) is list:
        return list[_plain_type(get_args(hint)[0])]  # type: ignore[misc]  # made as it runs
    parts = [each for each in get_args(hint) if each not in (type(None), msgspec.UnsetType)]
    if parts and len(parts) < len(get_args(hint)):
        return _plain_type(parts[0]) | None
    return str if hint is Moment else hint


def _about(hint: Any) -> str:
    said = [each for each in get_args(hint) if isinstance(each, msgspec.Meta)]
    return next((each.description for each in said if each.description), "")


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)
