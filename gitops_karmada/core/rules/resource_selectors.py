"""Resource selectors: at least one, in the policy's own namespace, and with names where they may take over."""

from collections.abc import Iterator

from gitops_karmada.core.rules import Broken
from gitops_karmada.model.policies import OverridePolicy, Preemption, PropagationPolicy
from gitops_karmada.model.selectors import is_valid


def resource_selectors(policy: PropagationPolicy) -> Iterator[Broken]:
    yield from own_namespace(policy)
    for number, selector in enumerate(policy.spec.resource_selectors):
        if policy.spec.preemption is Preemption.ALWAYS and not selector.name:
            yield Broken(
                code="GK2024",
                path=f"spec.resourceSelectors[{number}].name",
                message="is required with preemption: Always, so that no policy takes over more than it names",
            )


def own_namespace(policy: PropagationPolicy | OverridePolicy) -> Iterator[Broken]:
    """A namespaced policy reaches no other namespace."""
    namespace = policy.metadata.namespace
    for number, selector in enumerate(policy.spec.resource_selectors):
        path = f"spec.resourceSelectors[{number}]"
        if namespace and selector.namespace != namespace:
            yield Broken(
                code="GK2020",
                path=f"{path}.namespace",
                message=f"{selector.namespace!r} is not the policy's namespace {namespace!r}",
                hint=f"Remove it, or write a Cluster{policy.kind}",
            )


def usable_selectors(policy: PropagationPolicy | OverridePolicy) -> Iterator[Broken]:
    """Not a rule of the webhooks, which let a selector pass that can never match."""
    for number, selector in enumerate(policy.spec.resource_selectors):
        if selector.label_selector is not None and not is_valid(selector.label_selector):
            yield Broken(
                code="GK2020",
                path=f"spec.resourceSelectors[{number}].labelSelector",
                message="is no label selector and matches nothing",
                hint="Operators are In, NotIn, Exists, DoesNotExist; only the first two have values",
            )


def some_selector(policy: PropagationPolicy) -> Iterator[Broken]:
    if not policy.spec.resource_selectors:
        yield Broken(code="GK2020", path="spec.resourceSelectors", message="must name at least one resource")
