"""Where a request may go: known hosts over https, and never into a private network.

The address is looked up once and that very address is connected to, so that a name cannot change
its meaning between the check and its use.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Any

import httpcore
import httpx

from data_sources.public.hosts import HOSTS

HTTPS_PORT = 443
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
Resolve = Callable[[str, int], list[str]]


class NotAllowed(Exception):
    """A request would leave the known hosts or reach a private network. Holds no URL."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where


def check_url(url: httpx.URL) -> None:
    """NotAllowed unless `url` is https, port 443, one of the known hosts, and names no user."""
    plain = url.scheme == "https" and url.port in (None, HTTPS_PORT) and not url.userinfo
    if not plain or url.host not in HOSTS:
        raise NotAllowed(url.host[:100])


def is_public(address: str) -> bool:
    """Whether an IPv4 or IPv6 address belongs to the open internet. One that stands for an IPv4
    address (mapped, NAT64) is that address; 6to4 and Teredo must be open inside and out."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv4Address):
        return _open(found)
    if found.ipv4_mapped is not None:
        return _open(found.ipv4_mapped)
    if found in NAT64:
        return _open(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF))
    inside = [found.sixtofour, *(found.teredo or ())]
    return _open(found) and all(_open(one) for one in inside if one is not None)


def _open(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return address.is_global and not address.is_multicast and not address.is_reserved


def look_up(host: str, port: int) -> list[str]:
    """The addresses of a name. OSError where it has none."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


class CheckedBackend(httpcore.NetworkBackend):
    """Connects to public addresses alone. NotAllowed if any address of the name is private."""

    def __init__(self, resolve: Resolve = look_up) -> None:
        self._resolve = resolve
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to one of the checked addresses of `host`."""
        try:
            addresses = self._resolve(host, port)
        except OSError:
            raise httpcore.ConnectError("no address") from None
        if not addresses or not all(is_public(address) for address in addresses):
            raise NotAllowed(host)
        for address in addresses[:-1]:
            try:
                return self._connect(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue  # for example no IPv6 here
        return self._connect(addresses[-1], port, timeout, local_address, socket_options)

    def _connect(
        self,
        address: str,
        port: int,
        timeout: float | None,
        local_address: str | None,
        socket_options: Iterable[Any] | None,
    ) -> httpcore.NetworkStream:
        return self._inner.connect_tcp(address, port, timeout, local_address, socket_options)


def checked_transport(resolve: Resolve = look_up) -> httpx.BaseTransport:
    """A transport over TLS whose every connection is checked; certificates are those of httpx."""
    transport = httpx.HTTPTransport(trust_env=False)
    context: ssl.SSLContext = httpx.create_ssl_context(trust_env=False)
    transport._pool = httpcore.ConnectionPool(
        ssl_context=context, network_backend=CheckedBackend(resolve)
    )
    return transport
