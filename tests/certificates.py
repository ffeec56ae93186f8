"""Certificates as a keeper makes them, with openssl."""

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Keys:
    """A certificate for localhost, signed by itself, and its key."""

    certificate: Path
    key: Path

    def client(self) -> ssl.SSLContext:
        """A client that trusts it."""
        return ssl.create_default_context(cafile=str(self.certificate))


def make_keys(folder: Path) -> Keys:
    """A new certificate and its key in `folder`, which is made where it is missing."""
    folder.mkdir(exist_ok=True)
    made = Keys(folder / "cert.pem", folder / "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", made.key, "-out", made.certificate, "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return made
