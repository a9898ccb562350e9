"""The one error of the message layer."""


class MalformedMessage(ValueError):
    """What was read is no message of the dialect, or the values given do not make one.

    Its text names the field and the rule, never a value: values are card data.
    """
