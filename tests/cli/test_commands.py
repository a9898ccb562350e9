"""The command line as scripts and people use it, on an empty home."""

import json
import os
import pwd
import re
import secrets
import sqlite3
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.harness import BODY, Home, precheck, sandbox_key, until


def test_the_documented_script_works_on_an_empty_home(empty_home: Home) -> None:
    made = empty_home.ok(
        "accounts", "create", "Shop", "--currency", "USD", "--balance", "100", "--json"
    )
    account = made.json["accountId"]
    issued = empty_home.ok("keys", "issue", account, "--json").json
    shown = empty_home.ok("balance", "show", account, "--json").json
    assert issued["key"].startswith("gh_sandbox_")
    assert issued["keyId"].startswith("key_")
    assert shown["balance"] == {"currency": "USD", "amount": 100}


def _fee(client: httpx.Client) -> float | None:
    """What one more call costs, if it is paid for at all."""
    items = precheck(client).json()["billing"]["items"]
    return items[0]["fee"]["amount"] if items else None


def test_commands_work_while_the_server_runs(home: Home) -> None:
    with home.server() as server:
        account = home.account("100")
        with server.client(home.key(account)) as client:
            assert precheck(client).json()["billing"]["remainingBalance"]["amount"] == 99.95
            home.ok("prices", "set", account, "PRECHECK=0.20")
            home.ok("balance", "adjust", account, "-0.5", "--reason", "test")
            # A price is live on a running server within a second.
            until(lambda: _fee(client), lambda fee: fee == 0.2)
    assert home.ok("ledger", "verify", "--json").json["problems"] == []


def test_the_server_is_not_starved_by_nor_starves_the_command_line(sqlite_home: Home) -> None:
    """Commands get their turn while requests keep the writer busy."""
    from concurrent.futures import ThreadPoolExecutor

    account = sqlite_home.account("100")
    key = sqlite_home.key(account, "--rate-limit", "0")
    with sqlite_home.server() as server, server.client(key) as client:
        with ThreadPoolExecutor(8) as pool:
            load = [pool.submit(precheck, client) for _ in range(500)]
            for _ in range(3):
                sqlite_home.ok("balance", "top-up", account, "1")
            assert all(one.result().status_code == 200 for one in load)
    assert sqlite_home.balance(account) == 78


def test_the_ledger_verifies_while_requests_come_in(home: Home) -> None:
    """The proof looks at one moment, however busy the books are."""
    from concurrent.futures import ThreadPoolExecutor

    account = home.account("100")
    key = home.key(account, "--rate-limit", "0")
    with home.server() as server, server.client(key) as client, ThreadPoolExecutor(8) as pool:
        load = [pool.submit(precheck, client) for _ in range(300)]
        reports = [home.ok("ledger", "verify", "--json").json for _ in range(3)]
        assert all(one.result().status_code == 200 for one in load)
    assert [report["problems"] for report in reports] == [[], [], []]


def test_accounts_are_listed_and_shown(home: Home) -> None:
    account = home.account("5")
    listed = home.ok("accounts", "list", "--json").json
    assert [one["accountId"] for one in listed] == [account]
    shown = home.ok("accounts", "show", account, "--json").json
    assert shown["fees"]["PRECHECK"] == {"currency": "USD", "amount": 0.05}
    assert account in home.ok("accounts", "list").out
    assert account in home.ok("accounts", "show", account).out


def test_keys_live_rotate_and_end(home: Home) -> None:
    account = home.account()
    issued = home.ok("keys", "issue", account, "--name", "till", "--scope", "precheck",
                     "--network", "127.0.0.0/8", "--expires-in", "90d", "--json").json  # fmt: skip
    rotated = home.ok("keys", "rotate", account, issued["keyId"], "--overlap", "1h", "--json").json
    assert rotated["replaces"] == issued["keyId"]
    assert rotated["key"] != issued["key"]
    assert (rotated["name"], rotated["scopes"]) == ("till", ["precheck"])
    home.ok("keys", "revoke", account, issued["keyId"], "--reason", "lost")
    listed = home.ok("keys", "list", account, "--json").json
    assert {one["keyId"]: one["status"] for one in listed} == {
        issued["keyId"]: "revoked",
        rotated["keyId"]: "active",
    }
    assert issued["key"] not in home.ok("keys", "list", account).out


def test_a_statement_adds_up(home: Home) -> None:
    account = home.account("10")
    with home.server() as server, server.client(home.key(account)) as client:
        for _ in range(3):
            precheck(client)
    home.ok("balance", "adjust", account, "-1", "--reason", "goodwill the other way")
    made = home.ok("statement", account, "--json").json
    sums = ("openingBalance", "topUps", "adjustments", "charged", "closingBalance")
    assert [made[name]["amount"] for name in sums] == [0, 10, -1, 0.15, 8.85]
    assert made["charges"] == [
        {
            "feeType": "PRECHECK",
            "unitFee": {"currency": "USD", "amount": 0.05},
            "count": 3,
            "total": {"currency": "USD", "amount": 0.15},
        }
    ]
    assert home.balance(account) == 8.85
    earlier = home.ok("statement", account, "--month", "2020-01", "--json").json
    assert (
        earlier["openingBalance"] == earlier["closingBalance"] == {"currency": "USD", "amount": 0}
    )
    shown = home.ok("ledger", "show", account, "--json").json["entries"]
    assert [entry["kind"] for entry in shown].count("CLOSE") == 3
    assert shown[0]["balance"]["amount"] == 8.85


def test_the_trail_tells_who_did_what_and_is_whole(home: Home) -> None:
    account = home.account("5")
    home.ok("prices", "set", account, "SENTRY=0.01")
    lines = home.ok("audit", "show", "--account", account, "--json").json
    assert [line["action"] for line in lines] == [
        "account.create",
        "balance.top-up",
        "account.fees",
    ]
    assert all(line["actor"].startswith("cli:") for line in lines)
    assert home.ok("audit", "verify", "--json").json["problems"] == []


def test_verify_fails_loudly_when_books_were_changed(sqlite_home: Home) -> None:
    account = sqlite_home.account("5")
    database = sqlite3.connect(sqlite_home.path / "sandbox.db")
    database.execute("UPDATE accounts SET balance = balance + 1 WHERE id = ?", (account,))
    database.execute("UPDATE audit SET actor = 'cli:nobody'")
    database.commit()
    database.close()
    ledger = sqlite_home.run("ledger", "verify")
    audit = sqlite_home.run("audit", "verify")
    assert (ledger.code, audit.code) == (1, 1)
    assert "WRONG" in ledger.out
    assert "BROKEN" in audit.out


def test_a_backup_is_a_whole_database_taken_while_serving(
    sqlite_home: Home, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    with sqlite_home.server() as server:
        with server.client(sandbox_key(sqlite_home)) as client:
            precheck(client)
            sqlite_home.ok("backup", str(copy))
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    restored = Home(tmp_path / "restored", f"sqlite:///{copy}")
    restored.path.mkdir()
    (restored.path / "root-secret").write_text((sqlite_home.path / "root-secret").read_text())
    assert restored.balance("acct_demo") == 99.95
    assert restored.ok("ledger", "verify", "--json").json["problems"] == []
    assert sqlite_home.run("backup", str(copy)).code == 4


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["accounts", "show", "acct_nobody"], 3, "gatehouse accounts list"),
        (["balance", "top-up", "acct_nobody", "1"], 3, "no account"),
        *(
            (["accounts", "create", "Shop", "--currency", code], 4, "ISO 4217")
            for code in ("dollars", "usd", "XXX", "XTS", "XAU", "ZZZ", "DEM", "HRK", "")
        ),
        (["accounts", "create", "Shop", "--balance", "1.0000001"], 4, "six decimals"),
        (["accounts", "create", "Shop", "--balance", "-1"], 4, "negative"),
        (["accounts", "create", "  "], 4, "name"),
        (["keys", "issue", "ACCOUNT", "--scope", "everything"], 4, "there are precheck"),
        (["keys", "issue", "ACCOUNT", "--network", "nowhere"], 4, "203.0.113.0/24"),
        (["keys", "issue", "ACCOUNT", "--expires-in", "soon"], 4, "90d"),
        (["keys", "issue", "ACCOUNT", "--rate-limit", "-1"], 4, "rate limit"),
        (["keys", "revoke", "ACCOUNT", "key_none"], 3, "has no key"),
        (["balance", "adjust", "ACCOUNT", "-1"], 2, "reason"),
        (["balance", "adjust", "ACCOUNT", "-1000", "--reason", "x"], 4, "more than the available"),
        (["prices", "set", "ACCOUNT", "PRECHECK"], 4, "TYPE=FEE"),
        (["prices", "set", "ACCOUNT", "MAGIC=list"], 4, "no fee type MAGIC"),
        (["prices", "set", "ACCOUNT", "PRECHECK=-1"], 4, "negative"),
        (["accounts", "policy", "ACCOUNT", "--avs", "WRONG=DECLINE"], 4, "not a policy"),
        (["accounts", "sentry", "ACCOUNT", "--entity", ""], 4, "1 to 64 printable characters"),
        (["accounts", "sentry", "ACCOUNT", "--entity", "k" * 65], 4, "1 to 64 printable"),
        (["accounts", "sentry", "ACCOUNT", "--entity", "a\tb"], 4, "printable"),
        (["accounts", "sentry", "ACCOUNT", "--entity", "4242424242424242"], 4, "no card number"),
        (["accounts", "sentry", "ACCOUNT", "--entity", "a", "--no-entities"], 2, "not both"),
        (
            ["accounts", "sentry", "ACCOUNT", *(f"--entity=k{number}" for number in range(33))],
            4,
            "32 custom inputs at most",
        ),
        (["accounts", "sentry", "acct_nobody", "--entity", "a"], 3, "no account"),
        (["accounts", "sentry", "ACCOUNT", "--allow", "plan"], 3, "declare it"),
        (["accounts", "sentry", "ACCOUNT", "--refuse", "a@b.c"], 4, "is a name of 1 to 64"),
        (["statement", "ACCOUNT", "--month", "2026-13"], 4, "YYYY-MM"),
        (["nonsense"], 2, "No such command"),
    ],
)
def test_mistakes_are_explained_and_change_nothing(
    sqlite_home: Home, arguments: list[str], code: int, says: str
) -> None:
    account = sqlite_home.account("5")
    before = sqlite_home.ok("audit", "verify", "--json").json["lines"]
    done = sqlite_home.run(*(account if a == "ACCOUNT" else a for a in arguments))
    assert done.code == code, done.err
    assert says in re.sub(r"[\s│]+", " ", done.err)
    assert "Traceback" not in done.err
    assert sqlite_home.ok("audit", "verify", "--json").json["lines"] == before


def test_what_sentry_may_never_remember_is_shown_until_it_may_again(sqlite_home: Home) -> None:
    account = sqlite_home.account()
    shown = sqlite_home.ok("accounts", "sentry", account, "--refuse", "nationality").out
    headings, row = shown.splitlines()[-2:]
    assert headings.split() == ["FOUND", "LOOKS", "LIKE", "SINCE", "REMEMBERED"]
    assert [row.split()[place] for place in (0, 1, -1)] == ["nationality", "-", "no"]
    again = sqlite_home.ok("accounts", "sentry", account, "--allow", "nationality", "--json").json
    assert again == {"accountId": account, "sentry": {"entities": []}, "found": []}


def test_what_sentry_remembers_can_be_set_shown_and_cleared(sqlite_home: Home) -> None:
    account = sqlite_home.account()

    def entities(*options: str) -> Any:
        return sqlite_home.ok("accounts", "sentry", account, *options, "--json").json["sentry"]

    assert entities() == {"entities": []}
    assert entities("--entity", "deviceId", "--entity", "shop", "--entity", "deviceId") == {
        "entities": ["deviceId", "shop"]
    }
    assert entities() == {"entities": ["deviceId", "shop"]}
    sqlite_home.ok("accounts", "policy", account, "--avs", "NO_MATCH=DECLINE")
    assert entities("--entity", "plan") == {"entities": ["plan"]}
    kept = sqlite_home.ok("accounts", "show", account, "--json").json["policies"]
    assert kept["Sentry"] == {"entities": ["plan"]}
    assert kept["PreCheck"]["avs"]["NO_MATCH"] == "DECLINE"
    assert sqlite_home.ok("accounts", "sentry", account).out.split() == ["entities", "plan"]
    assert entities("--no-entities") == {"entities": []}
    lines = sqlite_home.ok("audit", "show", "--json").json
    assert sum(line["action"] == "account.policies" for line in lines) == 4


def test_errors_are_json_when_json_was_asked_for(sqlite_home: Home) -> None:
    done = sqlite_home.run("balance", "show", "acct_nobody", "--json")
    assert done.code == 3
    told = json.loads(done.err)["error"]
    assert (told["code"], told["exitCode"]) == ("not_found", 3)
    assert "no account" in told["message"]


def test_misspelt_settings_are_pointed_out(sqlite_home: Home) -> None:
    done = sqlite_home.ok("accounts", "list", GATEHOUSE_RATE_LIMIT="5")
    assert "did you mean GATEHOUSE_RATE_LIMIT_PER_SECOND?" in done.err
    wrong = sqlite_home.run("accounts", "list", GATEHOUSE_PORT="http")
    assert wrong.code == 5
    assert "GATEHOUSE_PORT takes port, 0 to 65535" in wrong.err


def test_settings_that_contradict_each_other_are_refused(sqlite_home: Home) -> None:
    done = sqlite_home.run("accounts", "list", GATEHOUSE_AUTHORIZATION_TTL_S="5",
                           GATEHOUSE_PRECHECK_TIMEOUT_MS="5000")  # fmt: skip
    assert done.code == 5
    assert "GATEHOUSE_AUTHORIZATION_TTL_S" in done.err


def test_settings_can_come_from_a_file(sqlite_home: Home, tmp_path: Path) -> None:
    file = tmp_path / "env"
    file.write_text("# ours\nGATEHOUSE_PROT=1\n")
    warned = sqlite_home.ok("accounts", "list", GATEHOUSE_ENV_FILE=str(file)).err
    assert "did you mean GATEHOUSE_PORT?" in warned
    file.write_text("# ours\nexport GATEHOUSE_STORE_TIMEOUT_MS=nonsense\n")
    done = sqlite_home.run("accounts", "list", GATEHOUSE_ENV_FILE=str(file))
    assert done.code == 5
    assert "GATEHOUSE_STORE_TIMEOUT_MS" in done.err


def test_the_root_secret_can_be_rotated(home: Home, tmp_path: Path) -> None:
    account = home.account()
    key = home.key(account)
    new = tmp_path / "new-secret"
    new.write_text("n" * 40)
    weak = home.run("secrets", "rotate-root", "--new-secret-file", str(new))
    assert (weak.code, "could be guessed" in weak.err, "nnn" in weak.err) == (4, True, False)
    secret = secrets.token_urlsafe(32)
    new.write_text(secret)
    home.ok("secrets", "rotate-root", "--new-secret-file", str(new))
    assert home.run("accounts", "list").code == 5
    rotated = Home(home.path, home.database_url, {"GATEHOUSE_SECRET_KEY": secret})
    with rotated.server() as server, server.client(key) as client:
        assert precheck(client).json()["isSuccess"] is True
    assert rotated.ok("audit", "verify", "--json").json["problems"] == []


def test_while_the_root_secret_changes_servers_work_with_either(home: Home) -> None:
    key = home.key(home.account())
    first, second = (secrets.token_urlsafe(32) for _ in range(2))
    names = ("GATEHOUSE_SECRET_KEY", "GATEHOUSE_OTHER_SECRET_KEY")

    def works(*roots: str) -> bool:
        found = Home(home.path, home.database_url, dict(zip(names, roots, strict=False)))
        return found.run("accounts", "list").code == 0

    missing = home.run("secrets", "rotate-root")
    assert (missing.code, "--new-secret-file" in missing.err) == (4, True)
    weak = home.run("secrets", "rotate-root", GATEHOUSE_OTHER_SECRET_KEY="n" * 40)
    assert (weak.code, "could be guessed" in weak.err) == (4, True)
    home.ok("secrets", "rotate-root", GATEHOUSE_OTHER_SECRET_KEY=first)
    between = Home(home.path, home.database_url, dict(zip(names, (first, second), strict=True)))
    with between.server() as server, server.client(key) as client:
        between.ok("secrets", "rotate-root")
        assert precheck(client).json()["isSuccess"] is True
        between.ok("secrets", "renew-identities")
    orders = ((first,), (first, second), (second, first), (second,))
    assert [works(*each) for each in orders] == [False, True, True, True]


def test_a_renewed_fingerprint_key_gives_cards_new_fingerprints(sqlite_home: Home) -> None:
    def fingerprint() -> str:
        with sqlite_home.server() as server:
            with server.client(sandbox_key(sqlite_home)) as client:
                request_id = precheck(client, BODY).json()["requestId"]
                found = client.get(f"/api/v1/decisions/{request_id}").json()
                text: str = found["decisionResponse"]["card"]["fingerprint"]
                return text

    before = fingerprint()
    assert before == fingerprint()
    told = sqlite_home.ok("secrets", "renew-fingerprints", "--yes")
    assert "imported again" in told.err
    after = fingerprint()
    assert (before[:6], after[:6]) == ("card1_", "card2_")


def test_a_revoked_demo_key_is_replaced_at_the_next_start(sqlite_home: Home) -> None:
    with sqlite_home.server():
        first = sandbox_key(sqlite_home)
    [key] = sqlite_home.ok("keys", "list", "acct_demo", "--json").json
    sqlite_home.ok("keys", "revoke", "acct_demo", key["keyId"])
    with sqlite_home.server() as server:
        second = sandbox_key(sqlite_home)
        assert second != first
        with server.client(second) as client:
            assert precheck(client).json()["isSuccess"] is True


def test_private_files_are_private(sqlite_home: Home) -> None:
    sqlite_home.account()
    for file in sqlite_home.path.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file.name


def test_the_trigger_table_and_the_version_are_printed(sqlite_home: Home) -> None:
    shown = sqlite_home.ok("sandbox", "--json").json
    first = shown["triggers"][0]
    assert {"field": "cardNumber", "value": "4000000000000002"}.items() <= first.items()
    amelia = shown["people"][0]
    assert (amelia["cardNumber"], amelia["ownerType"]) == ("4242424242424242", "PRIMARY")
    assert amelia["names"][0]["lastName"] == "Whitfield"
    printed = sqlite_home.ok("sandbox").out
    assert "4000000000000127" in printed
    assert "小明, -, 王" in printed
    assert sqlite_home.ok("--version").out.startswith("gatehouse ")
    assert "statement" in sqlite_home.ok("--help").out


def test_the_actor_is_the_operating_systems_user_whatever_the_environment_says(
    sqlite_home: Home,
) -> None:
    forged = dict.fromkeys(("LOGNAME", "USER", "LNAME", "USERNAME", "SUDO_USER"), "mallory")
    sqlite_home.account("5", **forged, SUDO_UID="12345")
    actors = {line["actor"] for line in sqlite_home.ok("audit", "show", "--json").json}
    [actor] = actors
    assert actor.split(" (login")[0] == f"cli:{pwd.getpwuid(os.getuid()).pw_name}"


def test_a_head_that_was_kept_proves_that_the_trail_was_not_cut_back(sqlite_home: Home) -> None:
    sqlite_home.account("5")
    head = sqlite_home.ok("audit", "head").out.strip()
    assert sqlite_home.ok("audit", "head", "--json").json == {"seq": 2, "head": head}
    whole = sqlite_home.ok("audit", "verify", "--expect", head)
    assert "contains what was expected" in whole.out
    other = sqlite_home.run("audit", "verify", "--expect", "3:" + "a" * 64)
    assert (other.code, "cut back to line 2" in other.out) == (1, True)
