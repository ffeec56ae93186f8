"""Which names a server answers to, and which web pages may ask it.

A browser can be led to any server that its user reaches: by DNS rebinding a foreign page brings its own name
in Host. So a name must be known before anything is answered, whatever address the server is bound to.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from docshelf.serve.errors import ConfigError

_HOST = re.compile(r"([A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::([0-9]{1,5}))?")
_WEB_PORTS = {"http": "80", "https": "443"}
_WILDCARDS = ("0.0.0.0", "::", "")


@dataclass(frozen=True, slots=True)
class AllowList:
    """The hosts and web pages that may be answered; `make_allow_list` builds one."""

    hosts: frozenset[str]
    """Names and addresses in lower case, without port and brackets; loopback always counts as listed."""
    origins: frozenset[str]
    """Web pages of other hosts, such as `https://chat.lan:8443`."""

    def allows_host(self, host: str, own_address: str) -> bool:
        """Whether a request may name `host` (the header, with or without port).

        `own_address` is where the connection came in: who reached it by number may say so.
        """
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = _plain(match[1])
        return name in self.hosts or name == own_address or is_loopback(name)

    def lists_origin(self, origin: str) -> bool:
        """Whether the web page is listed, so that its scripts may read the answers."""
        return origin.lower() in self.origins

    def allows_origin(self, origin: str, host: str) -> bool:
        """Whether a web page of `origin` may ask `host`, which `allows_host` has taken.

        Pages of the same host and port may, and pages of this machine ask this machine.
        """
        if self.lists_origin(origin):
            return True
        asking, asked = _authority(origin), _HOST.fullmatch(host)
        if asking is None or asked is None:
            return False
        scheme, name, port = asking
        own, own_port = _plain(asked[1]), asked[2] or _WEB_PORTS[scheme]
        return (name == own and port == own_port) or (is_loopback(name) and is_loopback(own))


def make_allow_list(bound_host: str, hosts: Iterable[str], origins: Iterable[str]) -> AllowList:
    """The list for a server bound to `bound_host`, with what its keeper added.

    Raises: ConfigError naming every value that is no host or no origin.
    """
    problems = []
    names = set() if bound_host in _WILDCARDS else {_plain(bound_host)}
    for host in hosts:
        match = _HOST.fullmatch(_bracketed(host))
        if match is None or match[2]:
            problems.append(f"--allow-host {host!r}: must be a name or an address without port or scheme")
        else:
            names.add(_plain(match[1]))
    pages = set()
    for origin in origins:
        if _authority(origin.rstrip("/")) is None:
            problems.append(
                f"--allow-origin {origin!r}: must be like https://chat.lan or http://chat.lan:8080"
            )
        else:
            pages.add(origin.rstrip("/").lower())
    if problems:
        raise ConfigError(problems)
    return AllowList(frozenset(names), frozenset(pages))


def is_loopback(host: str) -> bool:
    """Whether `host`, a name or an address, is this machine itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _authority(origin: str) -> tuple[str, str, str] | None:
    """Scheme, host and port of a web page; None for "null" and anything that is no origin."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    match = _HOST.fullmatch(parts.netloc)
    if match is None or parts.scheme not in _WEB_PORTS or parts.path or parts.query or parts.fragment:
        return None
    return parts.scheme, _plain(match[1]), match[2] or _WEB_PORTS[parts.scheme]


def _bracketed(host: str) -> str:
    """An address of IPv6 as a Host header writes it."""
    return f"[{host}]" if host.count(":") > 1 and not host.startswith("[") else host


def _plain(host: str) -> str:
    """Lower case, without brackets and the dot of a full name."""
    name = host.lower().strip("[]").rstrip(".")
    if ":" not in name:
        return name
    try:
        return ipaddress.ip_address(name).compressed
    except ValueError:
        return name
