"""Writes the generated parts of the pages in docs/ from the code that they describe.

A generated part stands between two comments and belongs to this script; the prose around it is
written by hand. `--check` writes nothing and fails when a page is stale. New signals also get
their numbers in decision records (`scripts/number_names.py`).
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

import typer.main

import gatehouse.operations.stages  # noqa: F401  # registers the stages
from gatehouse.api.metrics.families import FAMILIES, PROCESS
from gatehouse.api.problems import CODES
from gatehouse.billing.fees import DEFAULT_FEES
from gatehouse.cli.app import app
from gatehouse.cli.late import LateCommand
from gatehouse.conditions.catalogue import LIST_KINDS, SIGNALS, VELOCITY
from gatehouse.conditions.signatures import SIGNATURES, Signature
from gatehouse.connectors.sandbox.people import SandboxHolder, all_holders
from gatehouse.connectors.sandbox.triggers import all_triggers
from gatehouse.core.cards.brands import BRAND_NAMES, BRANDS
from gatehouse.core.money import display_amount
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.ruleset import Rule
from gatehouse.rules.starter import STARTER_LISTS, starter_document
from gatehouse.sentry.features.catalogue import ALL
from gatehouse.sentry.features.feature import Group
from gatehouse.sentry.reasons import REMARKS
from gatehouse.sentry.scorecard import Term, load_sheet
from gatehouse.settings.settings import declarations
from scripts.number_names import number_names

ROOT: Final = Path(__file__).resolve().parents[1]
_PART: Final = re.compile(
    r"(?P<open><!-- generated: (?P<name>[a-z-]+)[^>]*-->\n).*?(?P<close><!-- end of (?P=name) -->)",
    re.DOTALL,
)
_PLAIN_DEFAULTS: Final = {"": "empty", "()": "empty", "None": "unset"}


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _code(text: str) -> str:
    return f"`{text}`"


def errors() -> str:
    """Every error code."""
    rows = [
        (_code(word), str(code.status), code.message, code.remedy) for word, code in CODES.items()
    ]
    return table(("Code", "HTTP", "Meaning", "What to do"), rows)


def settings() -> str:
    """Every setting."""
    rows = []
    for variable, field, declared in declarations():
        shown = str(field.default)
        default = _PLAIN_DEFAULTS.get(shown, _code(shown))
        about = f"**Secret.** {declared.about}" if declared.secret else declared.about
        rows.append((_code(variable), default, declared.takes, about))
    return table(("Variable", "Default", "Takes", "Meaning"), rows)


def metrics() -> str:
    """Every metric."""
    rows = [
        (_code(one.shown_name), one.kind, ", ".join(map(_code, one.labels)) or "-", one.about)
        for one in (*FAMILIES, *PROCESS)
    ]
    return table(("Metric", "Kind", "Labels", "Meaning"), rows)


def triggers() -> str:
    """Every sandbox trigger."""
    rows = [
        (
            _code(row.field),
            _code(row.value),
            row.effect,
            ", ".join(f"`{name}` {value}" for name, value in row.gives.items()),
        )
        for row in all_triggers()
    ]
    return table(("Field", "Send", "Effect", "The answer then holds"), rows)


def people() -> str:
    """Every holder of a sandbox card."""
    rows = [
        (_code(row.card), row.person.owner_type.value, *_on_record(row), row.about)
        for row in all_holders()
    ]
    headings = ("Card", "Holder", "First, middle, last name", "E-mail, phone", "Identifiers")
    return table((*headings, "For trying"), rows)


def _on_record(row: SandboxHolder) -> tuple[str, str, str]:
    emails, phones, identifiers = row.contacts
    contacts = ", ".join(one for one in (emails, phones) if one)
    return row.names or "-", contacts or "-", identifiers or "-"


def brands() -> str:
    """Every card brand with its rules; a brand with several ranges has one row."""
    rows = []
    for name in BRAND_NAMES:
        same = [brand for brand in BRANDS if brand.name == name]
        lengths = sorted({length for brand in same for length in brand.lengths})
        luhn = "yes" if same[0].uses_luhn else "no"
        rows.append((_code(name), _spans(lengths), str(same[0].code_length), luhn))
    return table(("Brand", "Digits", "Security code", "Check digit"), rows)


def _spans(numbers: list[int]) -> str:
    """Numbers as spans: 13, 16, 18 and 19 are "13, 16, 18-19"."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][-1] == number - 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return ", ".join(f"{s[0]}-{s[-1]}" if len(s) > 1 else str(s[0]) for s in spans)


def _networks() -> dict[str, Any]:
    folder = resources.files("gatehouse.precheck")
    return tomllib.loads(folder.joinpath("networks.toml").read_text("utf-8"))


def response_codes() -> str:
    """Every response code of an issuer that the service knows."""
    rows = [
        (_code(code), _code(advice), _code(reason))
        for advice, codes in _networks()["advice"].items()
        for code, reason in codes.items()
    ]
    return table(("Issuer's code", "`advice`", "`reasons`"), rows)


def letters() -> str:
    """Every AVS and CVV2 letter that an issuer may answer with."""
    networks = _networks()
    names = {"default": "Visa, Mastercard, others", "AMEX": "Amex", "DISCOVER": "Discover"}
    columns = list(networks["avs"])
    avs = [
        (_code(word), *(" ".join(networks["avs"][column][word]) for column in columns))
        for word in networks["avs"]["default"]
    ]
    cvv2 = [(_code(word), " ".join(known)) for word, known in networks["cvv2"].items()]
    headings = ("`avsResult`", *(names[column] for column in columns))
    return f"{table(headings, avs)}\n\n{table(('`cvv2Result`', 'Letters'), cvv2)}"


def fees() -> str:
    """The default fee schedule."""
    return table(
        ("Fee type", "Default fee"),
        [(_code(name), display_amount(fee, 2)) for name, fee in DEFAULT_FEES.items()],
    )


def commands() -> str:
    """Every command with its arguments and options."""
    sections = []
    for path, command in walk_commands(typer.main.get_command(app), ("gatehouse",)):
        about = "\n\n".join(" ".join(part.split()) for part in command.help.split("\n\n"))
        told = [one for one in command.params if one.name not in ("help", "as_json")]
        rows = [_parameter(one) for one in told]
        listed = f"\n\n{table(('Argument or option', 'Default', 'Meaning'), rows)}" if rows else ""
        usage = f"```text\n{_usage(path, command)}\n```"
        sections.append(f"## {' '.join(path)}\n\n{about}\n\n{usage}{listed}")
    return "\n\n".join(sections)


def _usage(path: tuple[str, ...], command: Any) -> str:
    words = [*path, *(_placeholder(one) for one in command.params if _is_argument(one))]
    options = [one for one in command.params if not _is_argument(one) and one.name != "help"]
    words += [_option(one) for one in options if one.required]
    words += [f"[{_option(one)}]" for one in options if not one.required]
    return " ".join(words)


def walk_commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that people call, with the words that call it."""
    if isinstance(command, LateCommand):
        command = command.load()
    inner = getattr(command, "commands", None)
    if inner is None:
        if not command.hidden:
            yield path, command
        return
    for name, one in inner.items():
        yield from walk_commands(one, (*path, name))


def _is_argument(one: Any) -> bool:
    return bool(one.param_type_name == "argument")


def _placeholder(one: Any) -> str:
    name = str(one.metavar or one.name.upper())
    if one.required or not _is_argument(one):
        return name
    return f"[{name}]" if one.nargs == 1 else f"[{name}]..."


def _option(one: Any) -> str:
    if one.is_flag:
        return str(one.opts[0])
    return f"{one.opts[0]} {_placeholder(one)}{'...' if one.multiple else ''}"


def _parameter(one: Any) -> tuple[str, str, str]:
    if _is_argument(one):
        return _code(_placeholder(one)), "required" if one.required else "", one.help
    default = "required" if one.required else "" if one.is_flag else _option_default(one.default)
    return _code(_option(one)), default, one.help


def _option_default(value: object) -> str:
    return "" if value in (None, "") else _code(str(value))


def scorecard() -> str:
    """What holds for the scorecard as a whole."""
    sheet = load_sheet()
    rows = [
        ("Version", _code(sheet.version), "Recorded with every decision."),
        ("Confidence when nothing is known", f"{sheet.prior.confidence:.2f}", sheet.prior.why),
        ("Smallest effect that is a reason", str(sheet.report_from), "Smaller ones still count."),
        (
            "Signals of `ipScore`",
            ", ".join(_code(term.code) for term in sheet.terms if term.about_address),
            "They know nothing but the address.",
        ),
    ]
    return table(("", "Value", "Why"), rows)


def signals() -> str:
    """Every signal with what it is worth, by group."""
    terms = {term.code: term for term in load_sheet().terms}
    sections = []
    for group in Group:
        rows = [
            (
                _code(one.code),
                one.meaning,
                one.computation,
                _effects(terms[one.code]),
                terms[one.code].why,
            )
            for one in ALL
            if one.group is group
        ]
        listed = table(("Code", "Meaning", "Measured as", "Effect", "Why so much"), rows)
        sections.append(f"### {group.value.capitalize()}\n\n{listed}")
    return "\n\n".join(sections)


def remarks() -> str:
    """Every reason that is no signal."""
    return table(("Code", "Meaning"), [(_code(each.code), each.says) for each in REMARKS.values()])


def _effects(term: Term) -> str:
    """The effects by cut, those of nothing left out."""
    if not any(term.effects):
        return "none"
    if term.cuts == (0.5,):
        return f"{term.effects[1]:+}"
    spans = [f"below {term.cuts[0]:g}", *(f"from {cut:g}" for cut in term.cuts)]
    told = zip(spans, term.effects, strict=True)
    return ", ".join(f"{span}: {effect:+}" for span, effect in told if effect)


def families() -> str:
    """Every family of signals that count once."""
    members: dict[str, list[str]] = {}
    for term in load_sheet().terms:
        if term.family is not None:
            members.setdefault(term.family, []).append(_code(term.code))
    rows = [(_code(family), ", ".join(codes)) for family, codes in members.items()]
    return table(("Family", "Signals"), rows)


def rule_signals() -> str:
    """Every signal that a condition can speak of, by group; velocity stands by itself."""
    sections = []
    for group in dict.fromkeys(info.group for info in SIGNALS.values()):
        if group == "velocity":
            continue
        rows = [
            (
                _code(info.name),
                info.type,
                info.about,
                ", ".join(_code(f"'{value}'") for value in info.values)
                or (_code(info.example) if info.example else ""),
            )
            for info in SIGNALS.values()
            if info.group == group
        ]
        listed = table(("Signal", "Type", "Meaning", "Values, or an example"), rows)
        sections.append(f"### {group}\n\n{listed}")
    return "\n\n".join(sections)


def velocity() -> str:
    """Every measure of velocity, by what it is counted for."""
    sections = []
    for group, measures in VELOCITY.items():
        names = [f"velocity.{group}.{measure}" for measure in measures]
        rows = [(_code(name), SIGNALS[name].about) for name in names]
        sections.append(f"### velocity.{group}\n\n{table(('Signal', 'Meaning'), rows)}")
    return "\n\n".join(sections)


def functions() -> str:
    """Every function of the rule language."""
    rows = [(_code(_call(name, one)), _given(one), one.about) for name, one in SIGNATURES.items()]
    return table(("Function", "Gives", "Which is"), rows)


def _call(name: str, signature: Signature) -> str:
    if signature.takes:
        return f"{name}({', '.join(signature.takes)})"
    return f"{name}(value, value{', ...' if signature.most > signature.fewest else ''})"


def _given(signature: Signature) -> str:
    return signature.gives or "the type of its values"


def list_kinds() -> str:
    """Every kind of list, and what can be looked up on it."""
    starters: dict[str, list[str]] = {}
    for one in STARTER_LISTS:
        starters.setdefault(one.kind, []).append(_code(one.name))
    rows = [
        (_code(kind), ", ".join(map(_code, names)), ", ".join(starters.get(kind, ())) or "-")
        for kind, names in LIST_KINDS.items()
    ]
    return table(("Kind", "Signals that can be looked up on it", "Every account has"), rows)


def starter_rules() -> str:
    """Every rule of the starter rule set."""
    rows = [
        (_code(rule.name), rule.description, _outcome(rule))
        for rule in read_rule_set(starter_document().encode()).rules
    ]
    return table(("Rule", "What it catches", "Outcome"), rows)


def _outcome(rule: Rule) -> str:
    mark = ", final" if rule.final else ", shadow" if rule.shadow else ""
    return f"{rule.outcome}{mark}"


def tokens() -> str:
    """Every token of the console's design, as its style sheet explains it."""
    sheet = (ROOT / "src/gatehouse/console/static/tokens.css").read_text("utf-8")
    parts: list[str] = []
    rows: list[tuple[str, str, str]] = []
    title = ""
    for line in sheet.partition(":root {")[2].partition("\n}\n")[0].splitlines():
        if heading := re.fullmatch(r"  /\* (.+) \*/", line):
            if rows:
                parts.append(f"### {title}\n\n{table(('Token', 'Value', 'For'), rows)}")
            title, rows = heading[1], []
        elif token := re.fullmatch(r"  (--[\w-]+): ([^;]+);(?: /\* (.+) \*/)?", line):
            rows.append((_code(token[1]), _code(token[2]), token[3] or ""))
    parts.append(f"### {title}\n\n{table(('Token', 'Value', 'For'), rows)}")
    return "\n\n".join(parts)


PARTS: Final[dict[str, Callable[[], str]]] = {
    "errors": errors,
    "settings": settings,
    "metrics": metrics,
    "triggers": triggers,
    "people": people,
    "brands": brands,
    "response-codes": response_codes,
    "letters": letters,
    "fees": fees,
    "commands": commands,
    "scorecard": scorecard,
    "signals": signals,
    "remarks": remarks,
    "families": families,
    "rule-signals": rule_signals,
    "velocity": velocity,
    "functions": functions,
    "list-kinds": list_kinds,
    "starter-rules": starter_rules,
    "tokens": tokens,
}


def render(page: str) -> str:
    """The page with its generated parts as they should be."""
    return _PART.sub(
        lambda part: f"{part['open']}\n{PARTS[part['name']]()}\n\n{part['close']}", page
    )


def parts_of(page: str) -> list[str]:
    """The names of a page's generated parts."""
    return [part["name"] for part in _PART.finditer(page)]


def main() -> None:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(prog="generate_docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when stale")
    check = parser.parse_args().check
    missing, stale = set(PARTS), []
    for path in sorted((ROOT / "docs").rglob("*.md")):
        page = path.read_text("utf-8")
        missing -= set(parts_of(page))
        wanted = render(page)
        if wanted != page:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(wanted, "utf-8")
    stale += [str(path.relative_to(ROOT)) for path in number_names(check=check)]
    for name in sorted(missing):
        print(f"no page holds the generated part {name}", file=sys.stderr)
    for name in stale:
        print(f"{name} {'is stale; run: make docs' if check else 'written'}")
    sys.exit(1 if missing or (check and stale) else 0)


if __name__ == "__main__":
    main()
