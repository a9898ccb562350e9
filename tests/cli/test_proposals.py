"""Two pairs of eyes at a terminal: pipelines, lists and top-ups are proposed, people are not."""

from pathlib import Path

from gatehouse.access.actors import Actor
from gatehouse.admin.approvals.use_cases import proposals
from tests.harness import Home, make_account

PIPELINE = "pipeline: 9\nname: mine\nstages:\n  - stage: PreCheck\n"


def test_every_subject_is_proposed_and_done_when_another_person_approves(
    home: Home, tmp_path: Path
) -> None:
    with home.migrated().session() as session:
        account = make_account(session)
    on = ("--account", account)
    home.ok("lists", "create", "words", "--kind", "words", *on)
    home.ok("lists", "add", "words", "spam", *on)
    home.ok("proposals", "want", "lists", "pipelines", "top-ups", *on)
    file = tmp_path / "pipeline.yaml"
    file.write_text(PIPELINE)
    refused = home.run("lists", "add", "words", "scam", *on)
    assert refused.code == 4, refused
    for words in (
        ("entries", "words", "scam", "--reason", "reported"),
        ("entries", "words", "spam", "--remove"),
        ("pipeline", str(file), "--note", "simple"),
        ("top-up", "5", "--reference", "invoice 1"),
    ):
        made = home.ok("proposals", *words, *on, "--json").json
        with home.session() as session:
            other = session.acting_as(Actor.user("bob@shop.example", account))
            proposals.approve(other, account, made["proposalId"])
    shown = home.ok("lists", "show", "words", *on, "--json").json
    assert "scam" in str(shown)
    assert "spam" not in str(shown)
    assert "mine" in home.ok("pipelines", "show", "9", *on).out
    dropped = home.ok("proposals", "drop-list", "words", *on)
    assert "another person approves it" in dropped.out
    invited = home.ok("users", "invite", "eve@shop.example", "--role", "administrator", *on)
    assert "/link/" in invited.out
