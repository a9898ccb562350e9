"""An archive in S3-compatible storage, on a server that answers over HTTP as S3 does."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from gatehouse.admin.archive.use_cases.archive import archive_decisions
from gatehouse.admin.archive.use_cases.archive_backtest import ArchiveSource, backtest_archive
from gatehouse.admin.rule_sets.use_cases.rule_backtest import BacktestOptions, backtest
from gatehouse.archive.places import open_place
from gatehouse.core.errors import Conflict, InvalidInput
from gatehouse.store.decisions.records import RecordSpan
from tests.archive.test_backtests import FIRST_MS, rules_named
from tests.archive.test_keeping import FIRST, SECOND, keep_days
from tests.figures.shops import DAY_MS, Shop, as_json

SECRET = "a-secret-that-must-not-be-shown"


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """A bucket; the environment says where it is and who asks."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    # Nothing of the machine itself is looked at.
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    _client().create_bucket(Bucket="decisions")
    yield "decisions"
    server.stop()


def _client() -> Any:
    return boto3.session.Session().client("s3")


def test_an_archive_in_s3_is_written_read_and_kept_up_to_date(shop: Shop, bucket: str) -> None:
    to = f"s3://{bucket}/gate/house/"
    ids = keep_days(shop, 2)
    span = RecordSpan(shop.account_id, FIRST_MS, FIRST_MS + 2 * DAY_MS)

    def archived() -> tuple[list[str], list[str]]:
        done = archive_decisions(shop.session, span, to, lambda *_: None)
        assert done.to == "s3://decisions/gate/house"
        return done.written, done.labelled

    assert archived() == ([FIRST, SECOND], [])
    shop.label(ids[0])
    assert archived() == ([], [FIRST])
    found = _client().list_objects_v2(Bucket=bucket)["Contents"]
    names = sorted(each["Key"].removeprefix("gate/house/") for each in found)
    account = f"account={shop.account_id}"
    assert names == [
        f"decisions/{account}/day={FIRST}/decisions.parquet",
        f"decisions/{account}/day={SECOND}/decisions.parquet",
        f"labels/{account}/day={FIRST}/labels.parquet",
        f"manifests/{shop.account_id}.json",
    ]
    tried, options = rules_named("shop"), BacktestOptions()
    expected = backtest(shop.session, tried, span, options, lambda *_: None)
    report = backtest_archive(shop.session, tried, span, options, ArchiveSource(to))
    assert as_json(report) == as_json(expected)
    assert report.labelled_fraud == 1
    # One byte that differs is noticed.
    key = f"gate/house/{names[0]}"
    content = bytearray(_client().get_object(Bucket=bucket, Key=key)["Body"].read())
    content[len(content) // 2] ^= 1
    _client().put_object(Bucket=bucket, Key=key, Body=bytes(content))
    with pytest.raises(Conflict, match="is not as the manifest says"):
        backtest_archive(shop.session, tried, span, options, ArchiveSource(to))


def test_without_its_packages_it_says_which_lock_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3.session", None)
    with pytest.raises(InvalidInput, match=r"--require-hashes -r requirements/s3\.lock"):
        open_place("s3://bucket")


def test_errors_name_the_place_and_no_credentials(
    bucket: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"x")
    with pytest.raises(InvalidInput, match=r"cannot write x to s3://missing: \w+; see") as caught:
        open_place("s3://missing/").put("x", file)
    assert SECRET not in str(caught.value)
    assert open_place(f"s3://{bucket}").read("manifests/none.json") is None
    open_place(f"s3://{bucket}").remove("nothing")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(InvalidInput, match="credentials in the environment"):
        open_place(f"s3://{bucket}").read("x")
