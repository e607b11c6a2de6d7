"""Which kinds live in a namespace: known kinds, and those whose CustomResourceDefinition is in the repository."""

from collections.abc import Iterable, Mapping
from typing import Final

from gitops_karmada.model.objects import Object, dig

DEFAULT_NAMESPACE: Final = "default"

# (group, kind) of the cluster-scoped kinds of Kubernetes and Karmada. Everything else that they serve has a namespace.
CLUSTER_SCOPED: Final = frozenset(
    (group, kind)
    for group, kinds in {
        "": "ComponentStatus Namespace Node PersistentVolume",
        "admissionregistration.k8s.io": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding "
        "MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding "
        "ValidatingWebhookConfiguration",
        "apiextensions.k8s.io": "CustomResourceDefinition",
        "apiregistration.k8s.io": "APIService",
        "apps.karmada.io": "WorkloadRebalancer",
        "authentication.k8s.io": "SelfSubjectReview TokenReview",
        "authorization.k8s.io": "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
        "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
        "cluster.karmada.io": "Cluster",
        "config.gitops-karmada.io": "Federation",
        "config.karmada.io": "ResourceInterpreterCustomization ResourceInterpreterWebhookConfiguration",
        "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
        "internal.apiserver.k8s.io": "StorageVersion",
        "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
        "node.k8s.io": "RuntimeClass",
        "policy": "PodSecurityPolicy",
        "policy.karmada.io": "ClusterOverridePolicy ClusterPropagationPolicy ClusterTaintPolicy",
        "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
        "remedy.karmada.io": "Remedy",
        "resource.k8s.io": "DeviceClass DeviceTaintRule ResourceSlice",
        "scheduling.k8s.io": "PriorityClass",
        "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
        "storagemigration.k8s.io": "StorageVersionMigration",
        "work.karmada.io": "ClusterResourceBinding",
    }.items()
    for kind in kinds.split()
)

_BUILT_IN_GROUPS: Final = {"", "apps", "autoscaling", "batch", "extensions", "policy"} | {
    "autoscaling.karmada.io",
    "networking.karmada.io",
    "search.karmada.io",
    *(group for group, _ in CLUSTER_SCOPED),
}


class Scopes:
    """Answers for one repository."""

    def __init__(self, definitions: Iterable[Object] = ()) -> None:
        self._defined: Mapping[tuple[str, str], bool] = {
            (str(dig(crd, "spec", "group")), str(dig(crd, "spec", "names", "kind"))): dig(crd, "spec", "scope")
            != "Cluster"
            for crd in definitions
        }

    def is_namespaced(self, group: str, kind: str) -> bool | None:
        """None where nobody says: the kind is custom and its definition is not in the repository."""
        if (group, kind) in self._defined:
            return self._defined[group, kind]
        if (group, kind) in CLUSTER_SCOPED:
            return False
        return True if group in _BUILT_IN_GROUPS or group.endswith(".k8s.io") else None
