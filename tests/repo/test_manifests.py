"""Files become objects: lists, names, types, server-side fields, secrets, each finding with its place."""

from typing import Any

import pytest

from gitops_karmada.model.codes import CODES
from gitops_karmada.model.files import Manifests
from gitops_karmada.model.objects import Key
from gitops_karmada.model.problems import Severity
from gitops_karmada.repo.manifests import read_file


def read(text: str) -> Manifests:
    found = read_file(text.encode(), "f.yaml")
    assert {problem.code for problem in found.problems} <= CODES.keys()
    return found


def told(found: Manifests) -> list[tuple[str, str, str]]:
    return [(problem.code, str(problem.location), problem.path) for problem in found.problems]


def config_map(metadata: str, rest: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n{rest}"


def test_lists_are_expanded_with_the_item_in_messages() -> None:
    """O51: three objects and those of the typed list; a custom kind that ends in List is one object."""
    text = """\
apiVersion: v1
kind: List
items:
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}
- apiVersion: v1
  kind: List
  items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
---
apiVersion: v1
kind: ConfigMapList
items:
- metadata: {name: c}
- metadata: {name: D}
---
apiVersion: demo.io/v1
kind: PriceList
metadata: {name: spring}
items: [{metadata: {name: x}}]
"""
    found = read(text)
    assert [(manifest.object["kind"], manifest.object["metadata"]["name"]) for manifest in found.manifests] == [
        ("Deployment", "web"), ("ConfigMap", "a"), ("ConfigMap", "b"), ("ConfigMap", "c"), ("PriceList", "spring"),
    ]  # fmt: skip
    assert [manifest.location.line for manifest in found.manifests] == [4, 8, 9, 14, 17]
    assert str(found.manifests[2].locate(("metadata", "name"))) == "f.yaml:9:50"
    [wrong] = found.problems
    assert (wrong.code, str(wrong.location)) == ("GK1018", "f.yaml:15:14")
    assert "items[1]" in wrong.subject
    assert found.broken == {Key(group="", kind="ConfigMap", name="D")}


def test_what_is_no_kubernetes_object_is_skipped_or_refused() -> None:
    """O54: without apiVersion and kind it is somebody else's; with one of them it is a mistake."""
    found = read(
        "a: 1\n---\n- 1\n---\napiVersion: v1\nmetadata: {name: typo}\n---\nkind: X\n---\napiVersion: [v1]\nkind: X\n"
    )
    assert told(found) == [
        ("GK1013", "f.yaml:1", ""),
        ("GK1013", "f.yaml:3", ""),
        ("GK1012", "f.yaml:5:1", "kind"),
        ("GK1012", "f.yaml:8:1", "apiVersion"),
        ("GK1002", "f.yaml:10:1", "apiVersion"),
    ]
    assert [problem.severity for problem in found.problems[:2]] == [Severity.NOTICE] * 2
    assert found.unread == {"f.yaml"}


def test_a_kustomization_is_skipped_and_says_so() -> None:
    [notice] = read("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a]\n").problems
    assert (notice.code, notice.severity) == ("GK1014", Severity.NOTICE)
    assert read("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\n").manifests


def test_a_generated_name_is_no_name() -> None:
    """O55."""
    found = read("apiVersion: batch/v1\nkind: Job\nmetadata:\n  generateName: run-\n")
    assert told(found) == [("GK1017", "f.yaml:4:3", "metadata.generateName")]
    assert found.manifests == ()
    both = read("apiVersion: batch/v1\nkind: Job\nmetadata:\n  generateName: run-\n  name: run\n")
    assert both.manifests[0].object["metadata"] == {"name": "run"}
    assert [problem.severity for problem in both.problems] == [Severity.WARNING]


@pytest.mark.parametrize(
    ("metadata", "code", "path"),
    [
        ("{}", "GK1016", "metadata.name"),
        ("[]", "GK1019", "metadata"),
        ("{name: 123}", "GK1002", "metadata.name"),
        ("{name: on}", "GK1002", "metadata.name"),
        ("{name: Web}", "GK1018", "metadata.name"),
        ("{name: a_b}", "GK1018", "metadata.name"),
        ("{name: -a}", "GK1018", "metadata.name"),
        (f"{{name: {'a' * 254}}}", "GK1018", "metadata.name"),
        ("{name: a, namespace: Shop}", "GK1018", "metadata.namespace"),
        ("{name: a, namespace: 1}", "GK1002", "metadata.namespace"),
        ("{name: a, labels: [x]}", "GK1019", "metadata.labels"),
        ("{name: a, labels: {on: yes}}", "GK1002", "metadata.labels.true"),
        ("{name: a, labels: {tier: 1}}", "GK1002", "metadata.labels.tier"),
        ("{name: a, labels: {tier: }}", "GK1002", "metadata.labels.tier"),
        ("{name: a, labels: {tier: a b}}", "GK1018", "metadata.labels.tier"),
        ("{name: a, labels: {'a b': c}}", "GK1018", 'metadata.labels["a b"]'),
        ("{name: a, labels: {'X.y/z': c}}", "GK1018", 'metadata.labels["X.y/z"]'),
        ("{name: a, annotations: {a.b/c: true}}", "GK1002", 'metadata.annotations["a.b/c"]'),
        (f"{{name: a, annotations: {{a: {'x' * 262200}}}}}", "GK1018", "metadata.annotations"),
    ],
)
def test_metadata_is_checked_as_an_api_server_would(metadata: str, code: str, path: str) -> None:
    found = read(config_map(metadata))
    assert [(problem.code, problem.path) for problem in found.problems] == [(code, path)]
    assert found.problems[0].location is not None
    assert found.problems[0].location.line == 3
    assert found.manifests == ()
    assert len(found.broken) == 1


@pytest.mark.parametrize(
    ("kind", "name", "is_legal"),
    [
        ("rbac.authorization.k8s.io/v1/ClusterRole", "system:Node_x", True),
        ("rbac.authorization.k8s.io/v1/Role", "a/b", False),
        ("rbac.authorization.k8s.io/v1/Role", "..", False),
        ("v1/Service", "1web", False),
        ("v1/Service", "web.x", False),
        ("v1/Namespace", "a.b", False),
        ("v1/Namespace", "1a", True),
        ("demo.io/v1/Widget", "a" * 253, True),
        ("v1/ConfigMap", "kube-root-ca.crt", True),
        ("v1/ConfigMap", "a.", False),
    ],
)
def test_names_follow_the_rules_of_their_kind(kind: str, name: str, is_legal: bool) -> None:
    version, _, kind = kind.rpartition("/")
    found = read(f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: '{name}'}}\n")
    assert bool(found.manifests) is is_legal


def test_a_bad_object_costs_only_itself() -> None:
    found = read(
        config_map("{name: good}")
        + "---\n"
        + config_map("{name: BAD}")
        + "---\na: b: c\n---\n"
        + config_map("{name: too}")
    )
    assert [manifest.object["metadata"]["name"] for manifest in found.manifests] == ["good", "too"]
    assert [problem.code for problem in found.problems] == ["GK1010", "GK1018"]


def test_all_mistakes_of_an_object_are_told_at_once() -> None:
    assert len(read(config_map("{name: A, namespace: B, labels: {x: 1}}", "data: {k: 2}\n")).problems) == 4


EXPORTED = """\
apiVersion: v1
kind: Service
metadata:
  name: web
  uid: 1f2e
  resourceVersion: "12"
  generation: 2
  creationTimestamp: null
  selfLink: /api/v1/x
  managedFields: [{manager: kubectl}]
  ownerReferences: [{kind: X}]
  finalizers: [a/b]
  deletionTimestamp: "2026-01-01T00:00:00Z"
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"data": {"password": "hunter2"}}'
spec:
  clusterIP: %s
  clusterIPs: [%s]
  ports: [{port: 80}]
status:
  loadBalancer: {}
"""


def test_server_side_fields_are_left_out_with_one_warning_each() -> None:
    """O59."""
    found = read(EXPORTED % ("10.0.0.7", "10.0.0.7"))
    assert found.manifests[0].object == {
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]},
    }  # fmt: skip
    assert {(problem.code, problem.severity) for problem in found.problems} == {("GK1020", Severity.WARNING)}
    assert sorted(problem.path for problem in found.problems) == sorted(
        [
            *(f"metadata.{name}" for name in ("uid", "resourceVersion", "generation", "creationTimestamp", "selfLink")),
            *(f"metadata.{name}" for name in ("managedFields", "ownerReferences", "finalizers", "deletionTimestamp")),
            'metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]',
            "spec.clusterIP",
            "spec.clusterIPs",
            "status",
        ]
    )
    assert "hunter2" not in str(found.problems)


def test_a_headless_service_stays_headless_and_a_cluster_keeps_its_status() -> None:
    headless = read(EXPORTED % ("None", "None")).manifests[0].object
    assert headless["spec"] == {"clusterIP": "None", "clusterIPs": ["None"], "ports": [{"port": 80}]}
    cluster = "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: a}\nstatus: {x: 1}\n"
    assert read(cluster).manifests[0].object["status"] == {"x": 1}
    assert read(cluster).problems == ()


def test_the_revision_of_a_deployment_is_left_out() -> None:
    annotations = "{deployment.kubernetes.io/revision: '3', b: c}"
    text = f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a, annotations: {annotations}}}\n"
    assert read(text).manifests[0].object["metadata"] == {"name": "a", "annotations": {"b": "c"}}


@pytest.mark.parametrize(
    ("spec", "path", "code"),
    [
        ("volumes: [{name: v, configMap: {defaultMode: '0744'}}]", "volumes[0].configMap.defaultMode", "GK1002"),
        ("containers: [{name: m, env: [{name: A, value: on}]}]", "containers[0].env[0].value", "GK1002"),
        ("containers: [{name: m, env: [{name: A, value: 1}]}]", "containers[0].env[0].value", "GK1002"),
        ("containers: [{name: m, args: [--port, 80]}]", "containers[0].args[1]", "GK1002"),
        ("containers: [{name: m, ports: [{containerPort: '80'}]}]", "containers[0].ports[0].containerPort", "GK1002"),
        ("hostNetwork: 'yes'", "hostNetwork", "GK1002"),
        ("nodeSelector: {gpu: true}", "nodeSelector.gpu", "GK1002"),
        ("terminationGracePeriodSeconds: 1.5", "terminationGracePeriodSeconds", "GK1019"),
    ],
)
def test_fields_of_wrong_type_are_refused_by_their_path(spec: str, path: str, code: str) -> None:
    """O48, O49: what YAML made of a value is told where Kubernetes needs another type."""
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  {spec}\n"
    found = read(text)
    assert [(problem.code, problem.path) for problem in found.problems] == [(code, f"spec.{path}")]
    assert found.problems[0].location is not None
    assert found.problems[0].location.line == 5


@pytest.mark.parametrize("mode", ["0744", "0o744", "484"])
def test_modes_written_as_numbers_are_484(mode: str) -> None:
    volume = f"{{name: v, configMap: {{defaultMode: {mode}}}}}"
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {{volumes: [{volume}]}}\n"
    found = read(text)
    assert found.problems == ()
    assert found.manifests[0].object["spec"]["volumes"][0]["configMap"]["defaultMode"] == 484


SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
SOPS = "sops: {mac: 'ENC[AES256_GCM,data:x]', version: 3.9.0}\n"


@pytest.mark.parametrize(
    ("rest", "is_refused"),
    [
        ("stringData: {password: hunter2}\n", True),
        ("data: {password: aHVudGVyMg==}\n", True),
        ("data: {}\n", False),
        ("type: kubernetes.io/service-account-token\n", False),
        ("data: {password: 'ENC[AES256_GCM,data:Y2k=,iv:x,tag:y,type:str]'}\n" + SOPS, False),
        ("data: {password: 'ENC[AES256_GCM,data:Y2k=,iv:x,tag:y,type:str]'}\n", True),
        ("data: {password: 'ENC[AES256_GCM,data:Y2k=]', other: hunter2}\n" + SOPS, True),
    ],
)
def test_a_readable_secret_is_found_without_showing_it(rest: str, is_refused: bool) -> None:
    found = read(SECRET + rest)
    [manifest] = found.manifests
    assert (manifest.leak is not None and manifest.leak.code == "GK1006") is is_refused
    assert "hunter2" not in str(manifest.leak)
    assert "aHVudGVyMg" not in str(manifest.leak)


def test_an_encrypted_object_is_kept_to_the_last_byte() -> None:
    found = read(SECRET.replace("{name: s}", "{name: s, creationTimestamp: null}") + "data: {a: 'ENC[x]'}\n" + SOPS)
    [manifest] = found.manifests
    assert manifest.encrypted
    assert manifest.object["metadata"] == {"name": "s", "creationTimestamp": None}
    assert manifest.object["sops"]["version"] == "3.9.0"


@pytest.mark.parametrize("kind", ["bitnami.com/v1alpha1/SealedSecret", "external-secrets.io/v1/ExternalSecret"])
def test_sealed_and_external_secrets_pass(kind: str) -> None:
    version, _, kind = kind.rpartition("/")
    assert read(
        f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{encryptedData: {{a: AgB}}}}\n"
    ).manifests


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "Git LFS pointer"),
        (b"\x00GITCRYPT\x00\x01", "git-crypt"),
        (b"/annex/objects/SHA256E-s1--2\n", "git-annex"),
    ],
)
def test_pointers_to_content_elsewhere_are_refused(content: bytes, words: str) -> None:
    """O66."""
    found = read_file(content, "big.yaml")
    assert [problem.code for problem in found.problems] == ["GK1021"]
    assert words in found.problems[0].message
    assert found.unread == {"big.yaml"}


def test_every_code_explains_itself() -> None:
    for code, entry in CODES.items():
        assert entry.code == code
        assert entry.meaning.endswith(".")
        assert entry.explanation.endswith(".")


def test_objects_are_plain_values() -> None:
    found: Any = read(config_map("{name: a}", "data: {a: b}\n")).manifests[0].object
    assert type(found) is dict
