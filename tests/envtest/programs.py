"""Which programs the tests run, and the Go module that each is built from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

KUBERNETES = "1.36.3"
_MAJOR, _MINOR, _PATCH = KUBERNETES.split(".")
_VERSION_PACKAGE = "k8s.io/component-base/version"
# Without these the server reports v0.0.0, and clients then guess what it can do.
_KUBERNETES_VARIABLES = MappingProxyType(
    {
        f"{_VERSION_PACKAGE}.gitVersion": f"v{KUBERNETES}",
        f"{_VERSION_PACKAGE}.gitMajor": _MAJOR,
        f"{_VERSION_PACKAGE}.gitMinor": _MINOR,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One executable: `package` of `module` at `version` (without the leading v)."""

    name: str
    module: str
    version: str
    package: str
    variables: Mapping[str, str] = field(default_factory=dict)


def _kubernetes(name: str) -> Program:
    return Program(
        name=name,
        module="k8s.io/kubernetes",
        version=KUBERNETES,
        package=f"k8s.io/kubernetes/cmd/{name}",
        variables=_KUBERNETES_VARIABLES,
    )


# In the order in which they are built when several are missing.
PROGRAMS: Mapping[str, Program] = MappingProxyType(
    {
        program.name: program
        for program in (
            _kubernetes("kube-apiserver"),
            Program(
                name="etcd",
                module="go.etcd.io/etcd/server/v3",
                version="3.6.11",
                package="go.etcd.io/etcd/server/v3",
            ),
            _kubernetes("kube-controller-manager"),
            _kubernetes("kube-scheduler"),
            _kubernetes("kubectl"),
            Program(
                name="act",
                module="github.com/nektos/act",
                version="0.2.89",
                package="github.com/nektos/act",
            ),
            Program(
                name="actionlint",
                module="github.com/rhysd/actionlint",
                version="1.7.12",
                package="github.com/rhysd/actionlint/cmd/actionlint",
            ),
        )
    }
)
