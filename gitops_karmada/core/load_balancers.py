"""Where load balancers of Services and Ingresses listen."""

from collections.abc import Iterable
from typing import Any

from gitops_karmada.core.fields import integer, mapping, sequence, text
from gitops_karmada.core.interpreters import Items
from gitops_karmada.core.workload_status import reported
from gitops_karmada.model.objects import Object


def listens(obj: Object) -> bool:
    """Some ingress point has an address."""
    points = sequence(obj, "status", "loadBalancer", "ingress")
    return any(text(point, "ip") or text(point, "hostname") for point in points)


def aggregate_ingress(obj: Object, items: Items) -> Object:
    """The whole status becomes the members' addresses, each once."""
    reports = [report for item in items or () if (report := reported(item)) is not None]
    points = _merged(point for report in reports for point in sequence(report, "loadBalancer", "ingress"))
    return {**obj, "status": {"loadBalancer": {"ingress": points} if points else {}}}


def _merged(points: Iterable[Object]) -> list[Object]:
    ports: dict[tuple[str, str, str], dict[tuple[int, str, str], Object]] = {}
    for point in points:
        address = (text(point, "hostname"), text(point, "ip"), text(point, "ipMode"))
        ports.setdefault(address, {}).update((_port_key(port), port) for port in sequence(point, "ports"))
    ordered = sorted(ports, key=lambda address: (not address[0], *address))
    return [_point(address, ports[address]) for address in ordered]


def _port_key(port: Object) -> tuple[int, str, str]:
    mapping(port)
    return integer(port, "port"), text(port, "protocol"), text(port, "error")


def _point(address: tuple[str, str, str], ports: dict[tuple[int, str, str], Object]) -> Object:
    point: dict[str, Any] = {
        name: value for name, value in zip(("hostname", "ip", "ipMode"), address, strict=True) if value
    }
    return {**point, "ports": [ports[key] for key in sorted(ports)]} if ports else point
