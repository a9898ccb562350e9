"""Defects of code that holds secrets, made fit for a log: the class and the trace stay, the words
of the exception go, because they may repeat a security code, a card number or a person's data.

Connectors are foreign code, so the engine does this for everything that a stage raises.
"""


class Defect(Exception):
    """What was raised, by the name of its class alone."""


def blanked(error: BaseException, where: str) -> Defect:
    """The same defect without its own words, notes, causes and context.

    Raise it after the `except` block has ended, or Python adds the original as its context.
    """
    return Defect(f"{type(error).__name__} in {where}").with_traceback(error.__traceback__)
