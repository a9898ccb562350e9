"""People who are linked to single sign-on sign in there alone.

The provider decides who may still come in, and which groups give which roles. A password, an app
or a passkey of Gatehouse would go on working for somebody who has left there.
"""

from typing import Final

from gatehouse.access.people import User
from gatehouse.core.errors import Conflict
from gatehouse.core.wording.sentences import Phrase

_SIGNS_IN_ELSEWHERE: Final = Phrase(
    "refused.signs_in_elsewhere",
    "you sign in by single sign-on alone; no password, app or passkey can be set up here",
)


def check_signs_in_here(user: User) -> None:
    """Refuse to set up a way to sign in for somebody who signs in elsewhere."""
    if user.signs_in_elsewhere:
        raise Conflict(_SIGNS_IN_ELSEWHERE())
