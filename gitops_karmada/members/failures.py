"""Why a member refused a write, in words that a person can look up."""

import re

from gitops_karmada.members.answers import NOT_SERVED
from gitops_karmada.members.refusals import RefusalError
from gitops_karmada.model.actions import Failed, Fault
from gitops_karmada.model.works import Place

_WEBHOOK = re.compile(r'(?:admission webhook|failed calling webhook) "([^"]+)"')
_POLICY = re.compile(r"ValidatingAdmissionPolicy '([^']+)'")
_NAMESPACE = re.compile(r'namespaces "([^"]+)" not found')
_IMMUTABLE = re.compile(
    r"immutable|are forbidden|may not be changed|cannot be changed|updates to .* for fields other than"
)
_QUOTA = re.compile(r"exceeded quota: ")

HINTS = {
    Fault.FORBIDDEN: "Grant this verb to the identity that gitops-karmada uses in this member",
    Fault.IMMUTABLE: "Change it under a new name, or have the object deleted and made anew by the annotation "
    'gitops-karmada.io/recreate: "true" on the template',
    Fault.NO_SUCH_API: "Install its CustomResourceDefinition in the member, or keep the template away from it",
    Fault.NAMESPACE_MISSING: "Create the namespace, or put it under a policy",
    Fault.UNAUTHORIZED: "Renew the credentials of this member",
    Fault.QUOTA: "Raise the quota of the member or lower the requests",
}
TRANSIENT = frozenset({Fault.THROTTLED, Fault.RACE, Fault.NAMESPACE_TERMINATING, Fault.QUOTA, Fault.NO_SUCH_API})


def failed(place: Place, refusal: RefusalError) -> Failed:
    fault = fault_of(refusal)
    hint = HINTS.get(fault, "")
    by = _by(refusal) if fault is Fault.DENIED else ""
    reason = f"{by}{refusal.message}"
    return Failed(
        place=place,
        reason=f"{reason}. {hint}" if hint else reason,
        fault=fault,
        transient=fault in TRANSIENT or refusal.status >= 500,
        fields=refusal.fields,
    )


def fault_of(refusal: RefusalError) -> Fault:
    message = refusal.message
    if found := _BY_STATUS.get(refusal.status):
        return found
    if _WEBHOOK.search(message) or _POLICY.search(message):
        return Fault.DENIED
    if refusal.status == 404:
        return Fault.NAMESPACE_MISSING if _is_missing_namespace(refusal) else Fault.NO_SUCH_API
    if refusal.status == 403:
        return _forbidden(refusal)
    if refusal.status == 422:
        return Fault.IMMUTABLE if _IMMUTABLE.search(message) else Fault.INVALID
    return Fault.INVALID if refusal.status == 400 else Fault.OTHER


_BY_STATUS = {401: Fault.UNAUTHORIZED, 409: Fault.RACE, 413: Fault.TOO_LARGE, 429: Fault.THROTTLED}


def _is_missing_namespace(refusal: RefusalError) -> bool:
    return refusal.reason != NOT_SERVED and bool(_NAMESPACE.search(refusal.message))


def _forbidden(refusal: RefusalError) -> Fault:
    if any(cause.get("reason") == "NamespaceTerminating" for cause in refusal.causes):
        return Fault.NAMESPACE_TERMINATING
    return Fault.QUOTA if _QUOTA.search(refusal.message) else Fault.FORBIDDEN


def _by(refusal: RefusalError) -> str:
    webhook, policy = _WEBHOOK.search(refusal.message), _POLICY.search(refusal.message)
    if webhook:
        return f"refused by the admission webhook {webhook[1]}: "
    return f"refused by the admission policy {policy[1]}: " if policy else ""
