"""What a kind means, asked of the first layer that knows the operation: the table of kinds and the one entry point."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from gitops_karmada.core.interpreters import Interpretation, InterpretError, Items, Replicas
from gitops_karmada.core.interpreters.cronjobs import CRONJOB
from gitops_karmada.core.interpreters.daemonsets import DAEMONSET
from gitops_karmada.core.interpreters.deployments import DEPLOYMENT
from gitops_karmada.core.interpreters.flink_deployments import FLINK_DEPLOYMENT
from gitops_karmada.core.interpreters.flux_releases import HELM_RELEASE, KUSTOMIZATION
from gitops_karmada.core.interpreters.flux_sources import (
    BUCKET,
    GIT_REPOSITORY,
    HELM_CHART,
    HELM_REPOSITORY,
    OCI_REPOSITORY,
)
from gitops_karmada.core.interpreters.horizontal_pod_autoscalers import HORIZONTAL_POD_AUTOSCALER
from gitops_karmada.core.interpreters.ingresses import INGRESS
from gitops_karmada.core.interpreters.jobs import JOB
from gitops_karmada.core.interpreters.kruise_jobs import ADVANCED_CRONJOB, BROADCASTJOB
from gitops_karmada.core.interpreters.kruise_workloads import (
    CLONESET,
    KRUISE_DAEMONSET,
    KRUISE_STATEFULSET,
    UNITED_DEPLOYMENT,
)
from gitops_karmada.core.interpreters.kyverno_policies import KYVERNO_POLICY
from gitops_karmada.core.interpreters.mpi_jobs import MPI_JOB
from gitops_karmada.core.interpreters.notebooks import NOTEBOOK
from gitops_karmada.core.interpreters.persistent_volume_claims import PERSISTENT_VOLUME_CLAIM
from gitops_karmada.core.interpreters.persistent_volumes import PERSISTENT_VOLUME
from gitops_karmada.core.interpreters.pod_disruption_budgets import POD_DISRUPTION_BUDGET
from gitops_karmada.core.interpreters.pods import POD
from gitops_karmada.core.interpreters.ray_clusters import RAY_CLUSTER
from gitops_karmada.core.interpreters.ray_jobs import RAY_JOB
from gitops_karmada.core.interpreters.ray_services import RAY_SERVICE
from gitops_karmada.core.interpreters.replicasets import REPLICASET
from gitops_karmada.core.interpreters.secrets import SECRET
from gitops_karmada.core.interpreters.service_accounts import SERVICE_ACCOUNT
from gitops_karmada.core.interpreters.service_imports import SERVICE_IMPORT
from gitops_karmada.core.interpreters.services import SERVICE
from gitops_karmada.core.interpreters.sidecarsets import SIDECARSET
from gitops_karmada.core.interpreters.spark_applications import SPARK_APPLICATION
from gitops_karmada.core.interpreters.statefulsets import STATEFULSET
from gitops_karmada.core.interpreters.training_jobs import PYTORCH_JOB, TENSORFLOW_JOB
from gitops_karmada.core.interpreters.volcano_jobs import VOLCANO_JOB
from gitops_karmada.core.interpreters.workflows import WORKFLOW
from gitops_karmada.core.workload_status import status_of
from gitops_karmada.model.bindings import Health
from gitops_karmada.model.objects import Object

# apiVersion and kind. The version counts: a rule for apps/v1 does not serve apps/v1beta1.
Kinds: TypeAlias = Mapping[tuple[str, str], Interpretation]

NATIVE: Kinds = {
    ("apps/v1", "DaemonSet"): DAEMONSET,
    ("apps/v1", "Deployment"): DEPLOYMENT,
    ("apps/v1", "ReplicaSet"): REPLICASET,
    ("apps/v1", "StatefulSet"): STATEFULSET,
    ("autoscaling/v2", "HorizontalPodAutoscaler"): HORIZONTAL_POD_AUTOSCALER,
    ("batch/v1", "CronJob"): CRONJOB,
    ("batch/v1", "Job"): JOB,
    ("multicluster.x-k8s.io/v1alpha1", "ServiceImport"): SERVICE_IMPORT,
    ("networking.k8s.io/v1", "Ingress"): INGRESS,
    ("policy/v1", "PodDisruptionBudget"): POD_DISRUPTION_BUDGET,
    ("v1", "PersistentVolume"): PERSISTENT_VOLUME,
    ("v1", "PersistentVolumeClaim"): PERSISTENT_VOLUME_CLAIM,
    ("v1", "Pod"): POD,
    ("v1", "Secret"): SECRET,
    ("v1", "Service"): SERVICE,
    ("v1", "ServiceAccount"): SERVICE_ACCOUNT,
}

THIRDPARTY: Kinds = {
    ("apps.kruise.io/v1alpha1", "AdvancedCronJob"): ADVANCED_CRONJOB,
    ("apps.kruise.io/v1alpha1", "BroadcastJob"): BROADCASTJOB,
    ("apps.kruise.io/v1alpha1", "CloneSet"): CLONESET,
    ("apps.kruise.io/v1alpha1", "DaemonSet"): KRUISE_DAEMONSET,
    ("apps.kruise.io/v1alpha1", "SidecarSet"): SIDECARSET,
    ("apps.kruise.io/v1alpha1", "UnitedDeployment"): UNITED_DEPLOYMENT,
    ("apps.kruise.io/v1beta1", "StatefulSet"): KRUISE_STATEFULSET,
    ("argoproj.io/v1alpha1", "Workflow"): WORKFLOW,
    ("batch.volcano.sh/v1alpha1", "Job"): VOLCANO_JOB,
    ("flink.apache.org/v1beta1", "FlinkDeployment"): FLINK_DEPLOYMENT,
    ("helm.toolkit.fluxcd.io/v2beta1", "HelmRelease"): HELM_RELEASE,
    ("kubeflow.org/v1", "Notebook"): NOTEBOOK,
    ("kubeflow.org/v1", "PyTorchJob"): PYTORCH_JOB,
    ("kubeflow.org/v1", "TFJob"): TENSORFLOW_JOB,
    ("kubeflow.org/v2beta1", "MPIJob"): MPI_JOB,
    ("kustomize.toolkit.fluxcd.io/v1", "Kustomization"): KUSTOMIZATION,
    ("kyverno.io/v1", "ClusterPolicy"): KYVERNO_POLICY,
    ("kyverno.io/v1", "Policy"): KYVERNO_POLICY,
    ("ray.io/v1", "RayCluster"): RAY_CLUSTER,
    ("ray.io/v1", "RayJob"): RAY_JOB,
    ("ray.io/v1", "RayService"): RAY_SERVICE,
    ("source.toolkit.fluxcd.io/v1", "GitRepository"): GIT_REPOSITORY,
    ("source.toolkit.fluxcd.io/v1beta2", "Bucket"): BUCKET,
    ("source.toolkit.fluxcd.io/v1beta2", "HelmChart"): HELM_CHART,
    ("source.toolkit.fluxcd.io/v1beta2", "HelmRepository"): HELM_REPOSITORY,
    ("source.toolkit.fluxcd.io/v1beta2", "OCIRepository"): OCI_REPOSITORY,
    ("sparkoperator.k8s.io/v1beta2", "SparkApplication"): SPARK_APPLICATION,
}

WHOLE_STATUS = Interpretation(reflect=status_of)


class By(StrEnum):
    """Who knows, in the order in which they are asked."""

    CUSTOMIZED = "customized"
    WEBHOOK = "webhook"
    THIRDPARTY = "thirdparty"
    NATIVE = "native"


class Operation(StrEnum):
    REPLICAS = "replicas"
    COMPONENTS = "components"
    REVISE = "revise"
    RETAIN = "retain"
    HEALTH = "health"
    REFLECT = "reflect"
    AGGREGATE = "aggregate"
    DEPENDENCIES = "dependencies"


# What a layer knows of an apiVersion and kind. A mapping's `get` will do for a layer that is a table.
Layer: TypeAlias = Callable[[tuple[str, str]], Interpretation | None]


def no_kind(_kind: tuple[str, str]) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """Answers about objects, by the first layer that has the operation; its error is final.

    None says that no layer has a rule for the kind. Whether one has, and which, is `by`.
    """

    customized: Layer = no_kind
    webhooks: Layer = no_kind
    thirdparty: Layer = THIRDPARTY.get
    native: Layer = NATIVE.get

    def replicas(self, obj: Object) -> Replicas | None:
        """How many replicas the object wishes, and ReplicaRequirements of one where it has any."""
        answer: Replicas | None = self._ask(Operation.REPLICAS, obj)
        return answer

    def components(self, obj: Object) -> tuple[Object, ...] | None:
        """The pod templates of an object that has several: name, replicas, replicaRequirements."""
        answer: Sequence[Object] | None = self._ask(Operation.COMPONENTS, obj)
        return None if answer is None else tuple(answer)

    def revise(self, obj: Object, replicas: int) -> Object | None:
        """The object with this many replicas."""
        answer: Object | None = self._ask(Operation.REVISE, obj, replicas)
        return answer

    def retain(self, desired: Object, observed: Object) -> Object | None:
        """The desired object with what its member may decide."""
        answer: Object | None = self._ask(Operation.RETAIN, desired, observed)
        return answer

    def health(self, observed: Object) -> Health | None:
        healthy = self._ask(Operation.HEALTH, observed)
        if healthy is None:
            return None
        return Health.HEALTHY if healthy else Health.UNHEALTHY

    def reflect(self, observed: Object) -> Object | None:
        """The part of a member's status worth collecting. Every kind has a rule; None says that there is no status."""
        answer: Object | None = self._ask(Operation.REFLECT, observed)
        return answer

    def aggregate(self, obj: Object, items: Items) -> Object | None:
        """The template with the status that its members' reports (AggregatedStatusItem) amount to."""
        answer: Object | None = self._ask(Operation.AGGREGATE, obj, items)
        return answer

    def dependencies(self, obj: Object) -> tuple[Object, ...] | None:
        """What the object needs beside it: apiVersion, kind, namespace, and name or labelSelector."""
        answer: Sequence[Object] | None = self._ask(Operation.DEPENDENCIES, obj)
        return None if answer is None else tuple(answer)

    def by(self, operation: Operation, obj: Object) -> By | None:
        """The layer that answers the operation for objects of this kind."""
        return self._hook(operation, obj)[0]

    def _ask(self, operation: Operation, obj: Object, *arguments: Any) -> Any:
        _, hook = self._hook(operation, obj)
        if hook is None:
            return None
        try:
            return hook(obj, *arguments)
        except (AttributeError, KeyError, TypeError) as wrong:
            # Objects are not decoded before: a list where a map belongs shows here, and must cost this object only.
            raise InterpretError(f"cannot tell {operation} of this {obj.get('kind')}: {wrong}") from wrong

    def _hook(self, operation: Operation, obj: Object) -> tuple[By | None, Callable[..., Any] | None]:
        kind = (str(obj.get("apiVersion") or ""), str(obj.get("kind") or ""))
        for by, layer in (
            (By.CUSTOMIZED, self.customized),
            (By.WEBHOOK, self.webhooks),
            (By.THIRDPARTY, self.thirdparty),
            (By.NATIVE, self.native),
        ):
            known = layer(kind)
            if known is not None and (hook := getattr(known, operation)) is not None:
                return by, hook
        return (By.NATIVE, WHOLE_STATUS.reflect) if operation is Operation.REFLECT else (None, None)
