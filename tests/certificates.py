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


def authority_and_certificate(folder: Path) -> tuple[Path, Path, Path]:
    """An authority, and a chain and key for this machine that it signed, made by openssl as a keeper would."""
    authority, certificate, key = folder / "ca.pem", folder / "cert.pem", folder / "key.pem"
    common = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    ]
    subprocess.run(
        [*common, "-keyout", folder / "ca.key", "-out", authority, "-subj", "/CN=Our authority"],
        check=True, capture_output=True,
    )  # fmt: skip
    subprocess.run(
        [*common, "-keyout", key, "-out", certificate, "-subj", "/CN=localhost", "-CA", authority, "-CAkey", folder / "ca.key",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"],
        check=True, capture_output=True,
    )  # fmt: skip
    return authority, certificate, key
