"""Whose an object is: every mark of every tool, and everything that only looks like one."""

from typing import Any

import pytest

from gitops_karmada.core.detect import owners_of
from gitops_karmada.model.actions import Certainty, Owner

CERTAIN, LIKELY, HINT = Certainty.CERTAIN, Certainty.LIKELY, Certainty.HINT


def live(
    kind: str = "Deployment",
    api_version: str = "apps/v1",
    name: str = "web",
    namespace: str = "shop",
    managers: tuple[str, ...] = (),
    **metadata: Any,
) -> dict[str, Any]:
    place = {"name": name, **({"namespace": namespace} if namespace else {})}
    entries = [{"manager": manager, "operation": "Update", "fieldsV1": {"f:spec": {}}} for manager in managers]
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {**place, **metadata, **({"managedFields": entries} if entries else {})},
    }


def labelled(**kwargs: Any) -> dict[str, Any]:
    return live(**kwargs)


def argo(mark: str, **kwargs: Any) -> dict[str, Any]:
    return live(annotations={"argocd.argoproj.io/tracking-id": mark}, **kwargs)


def reference(kind: str, api_version: str, name: str, controller: bool = False) -> dict[str, Any]:
    return {
        "kind": kind,
        "apiVersion": api_version,
        "name": name,
        "uid": "1",
        **({"controller": True} if controller else {}),
    }


HELM: dict[str, Any] = {
    "labels": {"app.kubernetes.io/managed-by": "Helm"},
    "annotations": {"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "store"},
}
FLUX_HELM = {"helm.toolkit.fluxcd.io/name": "shop", "helm.toolkit.fluxcd.io/namespace": "flux-system"}
KAPP = {"kapp.k14s.io/app": "17", "kapp.k14s.io/association": "v1.abc"}

OWNED: dict[str, tuple[dict[str, Any], str, str, Certainty]] = {
    "a controller": (
        live("ReplicaSet", ownerReferences=[reference("Deployment", "apps/v1", "web", controller=True)]),
        "a controller",
        "Deployment web",
        CERTAIN,
    ),
    "ours or another instance": (
        live(annotations={"gitops-karmada.io/owner": "east:apps/Deployment:shop/web"}),
        "gitops-karmada",
        "instance east",
        CERTAIN,
    ),
    "Argo CD": (argo("store:apps/Deployment:shop/web"), "Argo CD", "Application store", CERTAIN),
    "Argo CD, application in any namespace": (
        argo("team_store:apps/Deployment:shop/web"),
        "Argo CD",
        "Application team_store",
        CERTAIN,
    ),
    "Argo CD, core group": (
        argo("store:/ConfigMap:shop/web", kind="ConfigMap", api_version="v1"),
        "Argo CD",
        "Application store",
        CERTAIN,
    ),
    "Argo CD, a name with colons": (
        argo(
            "store:rbac.authorization.k8s.io/ClusterRole:shop/system:x:y",
            kind="ClusterRole",
            api_version="rbac.authorization.k8s.io/v1",
            name="system:x:y",
            namespace="",
        ),
        "Argo CD",
        "Application store",
        CERTAIN,
    ),
    "Argo CD by label, with its manager": (
        live(labels={"app.kubernetes.io/instance": "store"}, managers=("argocd-controller",)),
        "Argo CD",
        "Application store",
        LIKELY,
    ),
    "Argo CD by its own label, with its manager": (
        live(labels={"argocd.argoproj.io/instance": "store"}, managers=("argocd-application-controller",)),
        "Argo CD",
        "Application store",
        LIKELY,
    ),
    "Argo CD by a label cut at 63": (
        live(labels={"argocd.argoproj.io/instance": "a" * 63}, managers=("argocd-controller",)),
        "Argo CD",
        f"Application {'a' * 63}",
        LIKELY,
    ),
    "Flux kustomize": (
        live(
            labels={"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
        ),
        "Flux",
        "Kustomization flux-system/apps",
        CERTAIN,
    ),
    "Flux helm wraps Helm": (
        live(labels={**HELM["labels"], **FLUX_HELM}, annotations=HELM["annotations"]),
        "Flux",
        "HelmRelease flux-system/shop",
        CERTAIN,
    ),
    "Helm": (live(**HELM), "Helm", "release store/shop", CERTAIN),
    "Fleet by bundle": (live(annotations={"fleet.cattle.io/bundle-id": "b1"}), "Fleet", "bundle b1", CERTAIN),
    "Fleet by set": (
        live(labels={"objectset.rio.cattle.io/hash": "h"}, annotations={"objectset.rio.cattle.io/id": "default-b1"}),
        "Fleet",
        "set default-b1",
        CERTAIN,
    ),
    "Fleet by agent": (
        live(labels={"objectset.rio.cattle.io/hash": "h"}, managers=("fleetagent",)),
        "Fleet",
        "",
        CERTAIN,
    ),
    "k3s add-on is not Fleet": (
        live(
            labels={"objectset.rio.cattle.io/hash": "h"},
            annotations={
                "objectset.rio.cattle.io/id": "",
                "objectset.rio.cattle.io/owner-gvk": "k3s.cattle.io/v1, Kind=Addon",
                "objectset.rio.cattle.io/owner-name": "coredns",
                "objectset.rio.cattle.io/owner-namespace": "kube-system",
            },
        ),
        "wrangler:k3s.cattle.io/v1, Kind=Addon",
        "kube-system/coredns",
        CERTAIN,
    ),
    "Config Sync": (
        live(
            annotations={
                "configsync.gke.io/manager": ":root",
                "configsync.gke.io/resource-id": "apps_deployment_shop_web",
                "config.k8s.io/owning-inventory": "config-sync",
            }
        ),
        "Config Sync",
        "reconciler :root",
        CERTAIN,
    ),
    "Config Sync, cluster-scoped": (
        live(
            "Namespace",
            "v1",
            "shop",
            "",
            annotations={"configsync.gke.io/manager": ":root_x", "configsync.gke.io/resource-id": "_namespace_shop"},
        ),
        "Config Sync",
        "reconciler :root_x",
        CERTAIN,
    ),
    "kpt": (live(annotations={"config.k8s.io/owning-inventory": "inv-1"}), "kpt", "inventory inv-1", CERTAIN),
    "kapp": (
        live(labels=KAPP, annotations={"kapp.k14s.io/identity": "v1;shop/apps/Deployment/web;apps/v1"}),
        "kapp",
        "app 17",
        CERTAIN,
    ),
    "OCM": (
        live(ownerReferences=[reference("AppliedManifestWork", "work.open-cluster-management.io/v1", "hash-w")]),
        "Open Cluster Management",
        "AppliedManifestWork hash-w",
        CERTAIN,
    ),
    "KubeStellar through OCM": (
        live(
            labels={"managed-by.kubestellar.io/wds1.policy": "true"},
            ownerReferences=[reference("AppliedManifestWork", "work.open-cluster-management.io/v1", "hash-w")],
        ),
        "KubeStellar",
        "AppliedManifestWork hash-w",
        CERTAIN,
    ),
    "KubeStellar on its transport": (
        live(labels={"transport.kubestellar.io/originOwnerReferenceBindingKey": "nginx"}),
        "KubeStellar",
        "nginx",
        CERTAIN,
    ),
    "Karmada, of any control plane": (
        live(
            labels={"karmada.io/managed": "true", "work.karmada.io/permanent-id": "p"},
            annotations={"work.karmada.io/name": "web-6d4f", "work.karmada.io/namespace": "karmada-es-m1"},
        ),
        "Karmada",
        "Work karmada-es-m1/web-6d4f",
        CERTAIN,
    ),
    "Karmada's label alone": (live(labels={"karmada.io/managed": "true"}), "Karmada", "", LIKELY),
    "KubeAdmiral": (live(labels={"kubeadmiral.io/managed": "true"}), "KubeAdmiral", "", CERTAIN),
    "Sveltos": (
        live(
            annotations={
                "projectsveltos.io/reference-kind": "ConfigMap",
                "projectsveltos.io/reference-name": "apps",
                "projectsveltos.io/owner-kind": "ClusterProfile",
                "projectsveltos.io/owner-name": "prod",
            }
        ),
        "Sveltos",
        "ClusterProfile prod",
        CERTAIN,
    ),
    "Sveltos, older labels": (
        live(labels={"projectsveltos.io/reference-kind": "Secret", "projectsveltos.io/reference-name": "s"}),
        "Sveltos",
        "Secret s",
        CERTAIN,
    ),
    "Sveltos, ownerReference": (
        live(ownerReferences=[reference("ClusterProfile", "config.projectsveltos.io/v1beta1", "prod")]),
        "Sveltos",
        "ClusterProfile prod",
        CERTAIN,
    ),
    "Clusternet": (
        live(
            labels={"clusternet.io/created-by": "clusternet-hub"},
            annotations={"apps.clusternet.io/owned-by-description": "ns/desc"},
        ),
        "Clusternet",
        "ns/desc",
        CERTAIN,
    ),
    "Crossplane": (
        live(
            labels={"crossplane.io/composite": "db-x"},
            ownerReferences=[reference("XDatabase", "demo.io/v1", "db-x")],
            managers=("apiextensions.crossplane.io/composed/abc",),
        ),
        "Crossplane",
        "composite db-x",
        CERTAIN,
    ),
    "Crossplane's manager with a dash": (
        live(managers=("apiextensions.crossplane.io/composed-abc",)),
        "Crossplane",
        "",
        LIKELY,
    ),
    "kro": (
        live(labels={"kro.run/owned": "true", "kro.run/instance-name": "app"}, managers=("kro.run/applyset",)),
        "kro",
        "instance app",
        CERTAIN,
    ),
    "Terraform's manager": (live(managers=("terraform-provider-kubernetes_v2",)), "Terraform", "", LIKELY),
    "Terraform's annotation": (live(annotations={"app.terraform.io/run-id": "r"}), "Terraform", "", LIKELY),
}


@pytest.mark.parametrize("name", OWNED)
def test_an_owner_is_known_by_its_marks(name: str) -> None:
    obj, tool, unit, certainty = OWNED[name]
    owner = owners_of(obj)[0]
    assert (owner.tool, owner.unit, owner.certainty) == (tool, unit, certainty)
    assert owner.evidence


NOBODYS: dict[str, dict[str, Any]] = {
    "no metadata beyond the name": live(),
    "managed fields cleared": live(managedFields=[]),
    "tracking id copied from another object": argo("store:apps/Deployment:shop/other"),
    "tracking id copied from another namespace": argo("store:apps/Deployment:other/web"),
    "tracking id of the Deployment on its ReplicaSet": argo("store:apps/Deployment:shop/web", kind="ReplicaSet"),
    "our mark copied to another object": live(annotations={"gitops-karmada.io/owner": "east:apps/Deployment:shop/x"}),
    "kapp's identity copied": live(
        labels=KAPP, annotations={"kapp.k14s.io/identity": "v1;shop/apps/Deployment/other;apps/v1"}
    ),
    "Config Sync's id copied": live(
        annotations={
            "configsync.gke.io/manager": ":root",
            "configsync.gke.io/resource-id": "apps_deployment_shop_other",
        }
    ),
    "an owner that is no controller": live(ownerReferences=[reference("Node", "v1", "n")]),
    "Sveltos's generic manager": live(managers=("application/apply-patch",)),
    "cli-utils' default manager": live(managers=("kubectl",)),
    "last-applied, which Argo CD writes too": live(
        annotations={"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    ),
}


@pytest.mark.parametrize("name", NOBODYS)
def test_what_proves_nothing_is_nobodys(name: str) -> None:
    assert owners_of(NOBODYS[name]) == ()


HINTS: dict[str, tuple[dict[str, Any], str]] = {
    "tracking id empty": (argo(""), "Argo CD"),
    "tracking id malformed": (argo("store"), "Argo CD"),
    "instance label alone": (live(labels={"app.kubernetes.io/instance": "shop"}), "Argo CD"),
    "Argo CD's manager alone": (live(managers=("argocd-controller",)), "Argo CD"),
    "one of Flux' pair": (live(labels={"kustomize.toolkit.fluxcd.io/name": "apps"}), "Flux"),
    "a chart applied by helm template": (
        live(labels={"app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": "shop-1"}),
        "Helm",
    ),
    "Helm's annotations without its label": (live(annotations=HELM["annotations"]), "Helm"),
    "kapp's label on a Pod": (live("Pod", "v1", labels=KAPP), "kapp"),
    "KubeAdmiral's opt-out": (live(labels={"kubeadmiral.io/managed": "false"}), "KubeAdmiral"),
    "our label without our annotation": (live(labels={"gitops-karmada.io/instance": "east"}), "gitops-karmada"),
}


@pytest.mark.parametrize("name", HINTS)
def test_a_hint_is_told_and_decides_nothing(name: str) -> None:
    obj, tool = HINTS[name]
    assert [(owner.tool, owner.certainty) for owner in owners_of(obj)] == [(tool, HINT)]


def test_two_owners_are_both_told_wrapper_first() -> None:
    """An object on its way from Argo CD to Flux carries the marks of both."""
    obj = live(
        annotations={"argocd.argoproj.io/tracking-id": "store:apps/Deployment:shop/web"},
        labels={"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"},
    )
    assert [owner.tool for owner in owners_of(obj)] == ["Flux", "Argo CD"]


def test_a_gitops_tool_stands_before_the_helm_that_it_uses() -> None:
    obj = live(labels={**HELM["labels"], **FLUX_HELM}, annotations=HELM["annotations"])
    assert [owner.tool for owner in owners_of(obj)] == ["Flux", "Helm"]


def test_certain_owners_stand_before_likely_ones() -> None:
    obj = live(**HELM, managers=("terraform-provider-helm_v2",))
    found: tuple[Owner, ...] = owners_of(obj)
    assert [(owner.tool, owner.certainty) for owner in found] == [("Helm", CERTAIN), ("Terraform", LIKELY)]
