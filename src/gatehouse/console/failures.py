"""The pages about what went wrong: each says what happened and what the person can do now."""

from starlette.responses import RedirectResponse, Response

from gatehouse.console.refusals import PageRefused, Told, as_sentence, status_of
from gatehouse.console.visit import Visit
from gatehouse.core.errors import GatehouseError, RequestRefused
from gatehouse.core.wording.sentences import Sentence


def refused(visit: Visit, refused: PageRefused) -> Response:
    """The shell did not let a request through."""
    response = _show(visit, refused.status, visit.text(refused.key))
    if refused.status == 503:
        response.headers["retry-after"] = "5"
    return response


def explained(visit: Visit, status: int, words: str) -> Response:
    """A use case refused, and says why."""
    return _show(visit, status, words)


def broken(visit: Visit) -> Response:
    """A defect of ours."""
    return _show(visit, 500, visit.text("problems.broken"))


def sign_in_first(visit: Visit) -> Response:
    """Nobody is signed in, or no longer."""
    asked = visit.asked
    back = asked.path if asked.method == "GET" and not visit.is_fragment else "/"
    path = visit.url("sign-in", {"next": back if back != "/" else None})
    if visit.is_fragment:
        return Response(status_code=401, headers={"HX-Redirect": path})
    return RedirectResponse(path, 303)


def words_of(visit: Visit, error: GatehouseError) -> str:
    """The error for people: what happened and what to do.

    What use cases say only in English stands behind a few words in the visitor's language.
    """
    said = error.args[0] if error.args else ""
    if isinstance(error, Told):
        return as_sentence(str(error))
    if isinstance(said, Sentence):
        return as_sentence(visit.said(said))
    words = str(error)
    if isinstance(error, RequestRefused):
        fields = [
            f"{path}: {' '.join(map(visit.said, texts))}" for path, texts in error.fields.items()
        ]
        words = " ".join([*map(visit.said, error.details), *fields]) or error.code
    return visit.text(f"problems.leads.{status_of(error) or 500}", words=as_sentence(words))


def _show(visit: Visit, status: int, words: str) -> Response:
    known = {400, 403, 404, 409, 421, 422, 500, 503}
    title = visit.text(f"problems.titles.{status if status in known else 400}")
    return visit.render("shell/problem.html", status, status_code=status, title=title, words=words)
