"""TLS for a server without a proxy in front."""

import ssl
from pathlib import Path

from docshelf.serve.errors import ConfigError


def server_context(certificate: Path, key: Path | None) -> ssl.SSLContext:
    """TLS 1.2 or later with the certificate chain in `certificate` (PEM) and its key, or the key beside it.

    Raises: ConfigError where the files do not serve.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    named = f"--tls-cert {certificate}" + (f" --tls-key {key}" if key is not None else "")
    try:
        # Without a function the library asks at the terminal for the password of a locked key, and waits.
        context.load_cert_chain(certificate, key, password=lambda: "")
    except ssl.SSLError as exc:
        reason = (exc.reason or "no PEM").lower().replace("_", " ")
        raise ConfigError(
            [f"{named}: cannot be used ({reason}); give PEM files that fit, the key not locked"]
        ) from exc
    except OSError as exc:
        raise ConfigError([f"{named}: cannot be read ({exc.strerror})"]) from exc
    return context
