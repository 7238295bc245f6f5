"""Where a connection may go: origins taken apart strictly, hosts normalised, resolved addresses judged."""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from interlock_activities.failures import failed, misconfigured

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[^?#\s\\]*)?(?P<query>\?[^#\s\\]*)?(?:#.*)?",
    re.IGNORECASE | re.ASCII,
)
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_DEFAULT_PORT = {"http": 80, "https": 443}

_METADATA_SERVICES = tuple(
    ipaddress.ip_address(text)
    for text in ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254")
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port; `host` is normalised: lower case, an IP address in its plain form."""

    scheme: str
    host: str
    port: int

    @property
    def header(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORT[self.scheme] else f"{host}:{self.port}"

    def listed(self, hosts: Iterable[str]) -> bool:
        """Whether one of `hosts` (`host` with the scheme's own port, or `host:port`) names this origin."""
        return any(self.header == (normal_host(host) if ":" not in host else host.lower()) for host in hosts)


@dataclass(frozen=True, slots=True)
class Url:
    """An absolute address: its origin and what is asked of it."""

    origin: Origin
    path: str
    query: str


def parse_url(text: str) -> Url | None:
    """The parts of an absolute http(s) URL; none for anything else, user names and unusual hosts included."""
    match = _URL.fullmatch(text)
    if match is None:
        return None
    scheme = match["scheme"].lower()
    host = normal_host(match["host"])
    port = int(match["port"] or _DEFAULT_PORT[scheme])
    if not host or not 0 < port < 65_536:
        return None
    return Url(Origin(scheme, host, port), match["path"] or "/", (match["query"] or "")[1:])


def normal_host(host: str) -> str:
    """`host` in its one plain form, `0x7f.1` and `2130706433` as `127.0.0.1`; empty where it is no host."""
    host = host.lower().removesuffix(".")
    if host.startswith("["):
        try:
            return str(_unwrapped(ipaddress.IPv6Address(host[1:-1])))
        except ValueError:
            return ""
    if not _NUMBER.fullmatch(host.rpartition(".")[2]):
        return host
    try:
        return str(ipaddress.IPv4Address(socket.inet_aton(host)))
    except OSError:
        return ""


class AddressRules:
    """Which resolved addresses a call may be sent to.

    The operator declares a server, so its address may be private or loopback, as back-office services are. Refused are
    link-local, multicast, unspecified, reserved and tunnelled addresses and the metadata services of clouds, unless
    allowed.
    """

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        try:
            self._allowed: tuple[Network, ...] = tuple(ipaddress.ip_network(text) for text in allowed)
        except ValueError as problem:
            raise ValueError(f"INTERLOCK_ALLOW_ADDRESSES: {problem}") from None

    async def resolve(self, origin: Origin) -> list[Address]:
        """All addresses of the host, once; raises Failure unless every one is allowed."""
        addresses = await _look_up(origin)
        for address in addresses:
            if self._refused(address):
                message = f"host {origin.host!r} resolves to an address that is not allowed"
                raise failed(message, retryable=False, sent=False, tried=False)
        return addresses

    def _refused(self, address: Address) -> bool:
        if any(address in network for network in self._allowed if network.version == address.version):
            return False
        return (
            address.is_link_local
            or address.is_multicast
            or address.is_unspecified
            or (address.is_reserved and not address.is_loopback)
            or address in _METADATA_SERVICES
            or _is_tunnel(address)
        )


def leads_inside(home: Iterable[Address], target: Iterable[Address]) -> bool:
    """Whether going on from `home` to `target` would enter this machine or a private network from outside."""
    return any(map(_is_inside, target)) and not any(map(_is_inside, home))


def _is_inside(address: Address) -> bool:
    return not address.is_global or (isinstance(address, ipaddress.IPv6Address) and address.is_site_local)


def _is_tunnel(address: Address) -> bool:
    """Whether it is a Teredo address: it holds two IPv4 addresses, and which of them is reached is not ours to say."""
    return isinstance(address, ipaddress.IPv6Address) and address.teredo is not None


async def _look_up(origin: Origin) -> list[Address]:
    try:
        return [_unwrapped(ipaddress.ip_address(origin.host))]
    except ValueError:
        pass  # a name
    try:
        found = await asyncio.get_running_loop().getaddrinfo(origin.host, origin.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise failed(f"host {origin.host!r} cannot be resolved", sent=False) from None
    return [_unwrapped(ipaddress.ip_address(str(entry[4][0]).partition("%")[0])) for entry in found]


def _unwrapped(address: Address) -> Address:
    """The IPv4 address that an IPv6 form stands for, where it does."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in _NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


def required_url(text: str) -> Url:
    """The base address of a server; its text may hold secrets and is not repeated."""
    url = parse_url(text)
    if url is None or url.query or ".." in url.path.split("/"):
        raise misconfigured("the server's address is not of the form http(s)://host[:port][/path], host in ASCII")
    return url
