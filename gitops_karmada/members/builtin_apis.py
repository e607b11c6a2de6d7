"""What Kubernetes 1.36 serves by itself: the APIs of a member that is a folder or memory."""

from collections.abc import Iterator, Mapping

from gitops_karmada.members.resources import Resource
from gitops_karmada.model.objects import group_of

# `plural=Kind`; a star marks a cluster-scoped kind, an exclamation mark one that cannot be listed.
BUILT_IN: Mapping[str, str] = {
    "admissionregistration.k8s.io/v1": (
        "mutatingadmissionpolicies=MutatingAdmissionPolicy* "
        "mutatingadmissionpolicybindings=MutatingAdmissionPolicyBinding* "
        "mutatingwebhookconfigurations=MutatingWebhookConfiguration* "
        "validatingadmissionpolicies=ValidatingAdmissionPolicy* "
        "validatingadmissionpolicybindings=ValidatingAdmissionPolicyBinding* "
        "validatingwebhookconfigurations=ValidatingWebhookConfiguration* "
    ),
    "apiextensions.k8s.io/v1": ("customresourcedefinitions=CustomResourceDefinition* "),
    "apiregistration.k8s.io/v1": ("apiservices=APIService* "),
    "apps/v1": (
        "controllerrevisions=ControllerRevision daemonsets=DaemonSet deployments=Deployment "
        "replicasets=ReplicaSet statefulsets=StatefulSet "
    ),
    "authentication.k8s.io/v1": ("selfsubjectreviews=SelfSubjectReview*! tokenreviews=TokenReview*! "),
    "authorization.k8s.io/v1": (
        "localsubjectaccessreviews=LocalSubjectAccessReview! "
        "selfsubjectaccessreviews=SelfSubjectAccessReview*! selfsubjectrulesreviews=SelfSubjectRulesReview*! "
        "subjectaccessreviews=SubjectAccessReview*! "
    ),
    "autoscaling/v1": ("horizontalpodautoscalers=HorizontalPodAutoscaler "),
    "autoscaling/v2": ("horizontalpodautoscalers=HorizontalPodAutoscaler "),
    "batch/v1": ("cronjobs=CronJob jobs=Job "),
    "certificates.k8s.io/v1": ("certificatesigningrequests=CertificateSigningRequest* "),
    "coordination.k8s.io/v1": ("leases=Lease "),
    "discovery.k8s.io/v1": ("endpointslices=EndpointSlice "),
    "events.k8s.io/v1": ("events=Event "),
    "flowcontrol.apiserver.k8s.io/v1": (
        "flowschemas=FlowSchema* prioritylevelconfigurations=PriorityLevelConfiguration* "
    ),
    "networking.k8s.io/v1": (
        "ingressclasses=IngressClass* ingresses=Ingress ipaddresses=IPAddress* networkpolicies=NetworkPolicy "
        "servicecidrs=ServiceCIDR* "
    ),
    "node.k8s.io/v1": ("runtimeclasses=RuntimeClass* "),
    "policy/v1": ("poddisruptionbudgets=PodDisruptionBudget "),
    "rbac.authorization.k8s.io/v1": (
        "clusterrolebindings=ClusterRoleBinding* clusterroles=ClusterRole* rolebindings=RoleBinding roles=Role "
    ),
    "resource.k8s.io/v1": (
        "deviceclasses=DeviceClass* resourceclaims=ResourceClaim "
        "resourceclaimtemplates=ResourceClaimTemplate resourceslices=ResourceSlice* "
    ),
    "scheduling.k8s.io/v1": ("priorityclasses=PriorityClass* "),
    "storage.k8s.io/v1": (
        "csidrivers=CSIDriver* csinodes=CSINode* csistoragecapacities=CSIStorageCapacity "
        "storageclasses=StorageClass* volumeattachments=VolumeAttachment* "
        "volumeattributesclasses=VolumeAttributesClass* "
    ),
    "v1": (
        "bindings=Binding! componentstatuses=ComponentStatus* configmaps=ConfigMap endpoints=Endpoints "
        "events=Event limitranges=LimitRange namespaces=Namespace* nodes=Node* "
        "persistentvolumeclaims=PersistentVolumeClaim persistentvolumes=PersistentVolume* pods=Pod "
        "podtemplates=PodTemplate replicationcontrollers=ReplicationController resourcequotas=ResourceQuota "
        "secrets=Secret serviceaccounts=ServiceAccount services=Service "
    ),
}
VERBS = frozenset({"create", "delete", "get", "list", "patch", "update", "watch"})


def built_in() -> Iterator[Resource]:
    for group_version, words in BUILT_IN.items():
        for word in words.split():
            plural, _, kind = word.partition("=")
            yield Resource(
                group=group_of(group_version),
                version=group_version.rpartition("/")[2],
                kind=kind.rstrip("*!"),
                plural=plural,
                namespaced="*" not in kind,
                verbs=frozenset({"create"}) if "!" in kind else VERBS,
            )
