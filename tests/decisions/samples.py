"""Decision records as versions of Gatehouse have written them, byte for byte.

- precheck_*: the first version: one stage, a masked card, amounts; a security code that does not
  match; an issuer that did not answer.
- idverify_first: ID Verify, with a reference that is a number.
- sentry_first: Sentry alone, with every signal, reasons as a list, and the event in the result.
- sentry_now: only the signals that say something, reasons by their codes.
- rules_first, pipeline_*: signals and event beside the stages, a decision, a pipeline; a payment
  that was refused; lists of velocity with fewer measures than there are now.
- *_packed: version 2, with numbers in place of the names of signals and of kinds of entities.
- pipeline_tokens_packed: a token with the reference of its account, and a 3-D Secure result.
"""

from pathlib import Path
from typing import Final

SAMPLES: Final = {
    path.stem: path.read_text(encoding="utf-8").removesuffix("\n")
    for path in sorted((Path(__file__).parent / "records").glob("*.json"))
}
PACKED: Final = [name for name in SAMPLES if name.endswith("_packed")]
"""Those that are written as this version writes."""
