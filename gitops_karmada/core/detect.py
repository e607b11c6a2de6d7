"""Who owns a live object, by the marks of every tool we know."""

from collections.abc import Sequence

from gitops_karmada.core.detectors import Detector
from gitops_karmada.core.detectors.argocd import argo_cd
from gitops_karmada.core.detectors.cli_utils import kpt
from gitops_karmada.core.detectors.clusternet import clusternet
from gitops_karmada.core.detectors.config_sync import config_sync
from gitops_karmada.core.detectors.controllers import controlling_parent
from gitops_karmada.core.detectors.crossplane import crossplane
from gitops_karmada.core.detectors.fleet import fleet
from gitops_karmada.core.detectors.flux import flux
from gitops_karmada.core.detectors.helm import helm
from gitops_karmada.core.detectors.instances import gitops_karmada
from gitops_karmada.core.detectors.kapp import kapp
from gitops_karmada.core.detectors.karmada import karmada
from gitops_karmada.core.detectors.kro import kro
from gitops_karmada.core.detectors.kubeadmiral import kubeadmiral
from gitops_karmada.core.detectors.kubestellar import kubestellar
from gitops_karmada.core.detectors.ocm import open_cluster_management
from gitops_karmada.core.detectors.sveltos import sveltos
from gitops_karmada.core.detectors.terraform import terraform
from gitops_karmada.model.actions import Certainty, Owner
from gitops_karmada.model.objects import Object

# In order of precedence: a tool that wraps another one stands before it.
DETECTORS: tuple[Detector, ...] = (
    controlling_parent,
    gitops_karmada,
    flux,
    argo_cd,
    config_sync,
    kpt,
    fleet,
    open_cluster_management,
    kubestellar,
    karmada,
    kubeadmiral,
    sveltos,
    clusternet,
    crossplane,
    kro,
    kapp,
    helm,
    terraform,
)

_ORDER = tuple(Certainty)


def owners_of(live: Object, detectors: Sequence[Detector] = DETECTORS) -> tuple[Owner, ...]:
    """Every tool that left a mark: certain owners first, then likely ones, then hints; each in order of precedence."""
    found = [owner for detector in detectors for owner in detector(live)]
    return tuple(sorted(found, key=lambda owner: _ORDER.index(owner.certainty)))
