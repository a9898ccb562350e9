"""A bucket of S3-compatible storage. Credentials, region and endpoint come from the environment."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from gatehouse.core.errors import GatehouseError, InvalidInput

_MOST_READ: Final = 64 * 1024 * 1024
_CONNECT_S: Final = 10
_READ_S: Final = 60
_TRIES: Final = 5


class S3Place:
    """A prefix of a bucket."""

    def __init__(self, bucket: str, prefix: str) -> None:
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        self.shown = f"s3://{bucket}/{prefix}".rstrip("/")
        with self._plain_errors("reach"):
            self._client = _client()

    def read(self, name: str) -> bytes | None:
        """The content of a small file; None when there is none."""
        with self._plain_errors(f"read {name} of"):
            try:
                answer = self._client.get_object(Bucket=self._bucket, Key=self._prefix + name)
            except self._client.exceptions.NoSuchKey:
                return None
            content: bytes = answer["Body"].read(_MOST_READ)
            return content

    def put(self, name: str, file: Path) -> None:
        """Store a file under a name; a large one in parts that appear together."""
        with self._plain_errors(f"write {name} to"):
            self._client.upload_file(str(file), self._bucket, self._prefix + name)

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""
        with self._plain_errors(f"remove {name} from"):
            self._client.delete_object(Bucket=self._bucket, Key=self._prefix + name)

    def fetch(self, name: str, into: Path) -> Path:
        """A copy of a file in a folder of this machine."""
        copy = into / name
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._plain_errors(f"read {name} of"):
            self._client.download_file(self._bucket, self._prefix + name, str(copy))
        return copy

    def address(self, name: str) -> str:
        """Where Spark finds a file; the cluster has credentials of its own."""
        return f"s3a://{self._bucket}/{self._prefix}{name}"

    @contextlib.contextmanager
    def _plain_errors(self, what: str) -> Iterator[None]:
        """Say what failed and why, without the request, which names credentials."""
        try:
            yield
        except GatehouseError:
            raise
        except Exception as error:
            raise InvalidInput(
                f"cannot {what} {self.shown}: {_reason(error)}; see AWS_ENDPOINT_URL_S3, "
                "AWS_REGION and the credentials in the environment"
            ) from None


def _client() -> Any:
    try:
        from boto3.session import Session
        from botocore.config import Config
    except ImportError:
        raise InvalidInput(
            "an archive in S3 needs more packages: "
            "pip install --require-hashes -r requirements/s3.lock"
        ) from None
    options = Config(
        connect_timeout=_CONNECT_S,
        read_timeout=_READ_S,
        retries={"max_attempts": _TRIES, "mode": "standard"},
        # Not every compatible server knows the checksums that newer clients add.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    return Session().client("s3", config=options)


def _reason(error: Exception) -> str:
    """The code of the storage's answer, or what kind of error it is; nothing that was sent."""
    answer = getattr(error, "response", None)
    if isinstance(answer, dict):
        return str(answer.get("Error", {}).get("Code", type(error).__name__))
    return type(error).__name__
