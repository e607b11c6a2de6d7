"""Every finding has a code that never changes its meaning. This is the one table of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """`meaning` is one line; `explanation` says the cause and what to do about it."""

    code: str
    name: str
    meaning: str
    explanation: str


def _table(codes: Iterable[Code]) -> Mapping[str, Code]:
    table = {code.code: code for code in codes}
    return MappingProxyType(dict(sorted(table.items())))


def _code(code: str, name: str, meaning: str, explanation: str) -> Code:
    return Code(code=code, name=name, meaning=meaning, explanation=explanation)


MANIFESTS = (
    _code(
        "GK1001",
        "duplicate-key",
        "The same key stands twice in one map.",
        "YAML readers disagree on which of the two counts, and kubectl's strict reader refuses the file. Both "
        "lines are named. Remove one of them; if both were meant, merge what they hold.",
    ),
    _code(
        "GK1002",
        "ambiguous-scalar",
        "A value is not of the type its field needs, because of how YAML reads it unquoted.",
        "Kubernetes reads `yes`, `no`, `on`, `off`, `y` and `n` as booleans, `012` and `0o12` as the number 10, "
        "`1e3` as 1000 and an empty value as null. Where text is needed, quote it; where a number is needed, "
        "remove the quotes.",
    ),
    _code(
        "GK1003",
        "document-too-deep-or-wide",
        "A document expands to more than a manifest can be.",
        "Aliases that multiply themselves and maps nested hundreds of levels deep are refused before they fill "
        "the memory. Write the values out, or split the document.",
    ),
    _code(
        "GK1004",
        "link-or-submodule",
        "A symbolic link or a submodule stands where manifests are read.",
        "A relative link to a file of the same repository is read. Links that leave the repository, links to "
        "folders, loops of links and submodules are not followed: put the file where it is needed, or name its "
        "folder among the source paths.",
    ),
    _code(
        "GK1005",
        "path-leaves-repository",
        "A configured path or a link points outside the repository.",
        "Only files of the repository are read. Use a path relative to its root, without `..`.",
    ),
    _code(
        "GK1006",
        "plain-secret",
        "A Secret with readable values is in Git.",
        "Whoever can read the repository or its status branch can read the Secret. Encrypt it with SOPS, or "
        "commit a SealedSecret or an ExternalSecret instead. Then change the value at its origin, since history "
        "keeps the old one. The object is not propagated, and what runs is left as it is.",
    ),
    _code(
        "GK1007",
        "declared-twice",
        "The same object is declared in two places.",
        "Both places are named; none of them is applied, because nobody can say which one is meant. An object "
        "without a namespace and one in namespace `default` are the same. Remove one of the two.",
    ),
    _code(
        "GK1010",
        "yaml-syntax",
        "A document is not valid YAML or JSON as kubectl reads it.",
        "The document cannot be used; the other documents of the file and the other files are read all the same. "
        "Frequent causes: tabs in the indentation, an unclosed quote, a value with `: ` or a leading `*`, `&`, "
        "`@`, `%` or `{{` that is not quoted.",
    ),
    _code(
        "GK1011",
        "encoding",
        "A file is not UTF-8 text, or holds characters that YAML does not allow.",
        "Save the file as UTF-8 without control characters; one byte order mark at the start does no harm.",
    ),
    _code(
        "GK1012",
        "no-kind",
        "An object lacks its apiVersion or its kind.",
        "A document with one of apiVersion, kind and metadata is taken for a Kubernetes object and needs both "
        "apiVersion and kind. If it is something else, move it out of the source paths.",
    ),
    _code(
        "GK1013",
        "no-manifest",
        "A document is no Kubernetes object and was skipped.",
        "It has neither apiVersion nor kind. Nothing is wrong with it; it just is not propagated.",
    ),
    _code(
        "GK1014",
        "kustomization",
        "A kustomization was skipped.",
        "Manifests are read as they lie in the repository; kustomize is not run. Commit what `kustomize build` "
        "prints, or express the difference as an OverridePolicy.",
    ),
    _code(
        "GK1015",
        "helm-chart",
        "A folder with a Helm chart was skipped.",
        "Charts are not rendered. Commit what `helm template` prints, and leave the chart outside the source paths.",
    ),
    _code(
        "GK1016",
        "no-name",
        "An object has no name.",
        "`metadata.name` is what an object is known by in every member. Give it one.",
    ),
    _code(
        "GK1017",
        "generate-name",
        "An object asks for a generated name.",
        "`generateName` makes a new object each time it is applied, so there would be nothing to update or to "
        "remove. Give it a `name`; where both are written, the name counts.",
    ),
    _code(
        "GK1018",
        "illegal-metadata",
        "A name, namespace, label or annotation is not written as Kubernetes demands.",
        "Names are DNS names of lower-case letters, digits, `-` and, for most kinds, `.`; label keys are `name` "
        "or `prefix/name`; label values are at most 63 letters, digits, `-`, `_` and `.`. The API server of every"
        " member would refuse the object.",
    ),
    _code(
        "GK1019",
        "wrong-type",
        "A field holds a value of the wrong type.",
        "The API server of every member would refuse the object. The message names the field, what it needs and "
        "what it holds.",
    ),
    _code(
        "GK1020",
        "server-side-field",
        "A field that only an API server writes was left out.",
        "Manifests exported by `kubectl get -o yaml` carry uid, resourceVersion, managedFields, status and their "
        "like. They mean nothing in another cluster and are dropped. Remove them from the file to be rid of the "
        "warning.",
    ),
    _code(
        "GK1021",
        "lfs-pointer",
        "A file is a Git LFS pointer, not the file it stands for.",
        "Large file storage keeps the content outside Git, where it is not read. Take the file out of LFS with "
        "`git lfs untrack` and commit it again.",
    ),
    _code(
        "GK1022",
        "text-after-end",
        "Text after the end of a document is ignored.",
        "kubectl reads a document up to `...` and drops what follows until the next `---`. Remove the `...` or "
        "the text.",
    ),
    _code(
        "GK1023",
        "keys-become-equal",
        "Two keys of a map become the same text.",
        'Keys such as `1` and `"1"`, or `on` and `true`, are different to YAML and the same to Kubernetes. The '
        "last one counts. Quote keys, and remove one of the two.",
    ),
    _code(
        "GK1024",
        "merge-key",
        "A merge key (`<<`) is used in a way that readers disagree on.",
        "Merge maps or lists of maps, once per map, and before the keys that override what was merged.",
    ),
    _code(
        "GK1025",
        "too-large",
        "A file or a repository is larger than the limits allow.",
        "No API server takes an object of more than 1.5 MiB. Split the file, or raise the limit in the settings.",
    ),
    _code(
        "GK1026",
        "byte-order-mark",
        "A document starts with more than one byte order mark.",
        "kubectl then loses the first character of each line. Save the file with one byte order mark or, better, "
        "with none.",
    ),
    _code(
        "GK1027",
        "missing-path",
        "A configured source path is not in the commit.",
        "A missing path is never taken for an empty one: what runs stays as it is. Correct the path in the "
        "settings, or bring the folder back; a folder that is empty on purpose needs at least one file, such as "
        "`.gitkeep`.",
    ),
)

GIT = (
    _code(
        "GK4001",
        "repository-unreachable",
        "The repository could not be reached.",
        "The last good state stays in force; nothing is placed, moved or removed because of it. Check the "
        "address, the network and the server, and try `git ls-remote` from the same machine.",
    ),
    _code(
        "GK4002",
        "history-rewritten",
        "The branch does not descend from the commit read last.",
        "Somebody force-pushed. The new tip is followed; removals stay within the usual guards.",
    ),
    _code(
        "GK4003",
        "repository-authentication",
        "The repository refused the credentials.",
        "Check that the token or key file is current and may read the repository. The file is read again at each "
        "attempt.",
    ),
    _code(
        "GK4004",
        "repository-refused",
        "An address, branch or option is not allowed.",
        "Only https, http, ssh and file addresses are used, never with credentials in them, and no name may start"
        " with `-`.",
    ),
    _code(
        "GK4005",
        "repository-timeout",
        "The repository did not answer in time.",
        "The call was given up and is tried again at the next turn. If the repository is large, raise the timeout"
        " in the settings.",
    ),
    _code(
        "GK4006",
        "status-branch-unwritable",
        "The status branch could not be written.",
        "What is already recorded is kept in force; nothing new is applied until it can be recorded. Check that "
        "the token may write the branch and that no rule of the server protects it against the bot.",
    ),
    _code(
        "GK4007",
        "lost-race",
        "Another writer was first on the status branch.",
        "The turn is decided again on top of what the other writer wrote. If it happens often, two daemons run "
        "for one federation.",
    ),
    _code(
        "GK4008",
        "ref-not-found",
        "The branch, tag or commit does not exist in the repository.",
        "The last good state stays in force and nothing is removed. Push the branch again, or correct the name in"
        " the settings.",
    ),
    _code(
        "GK4009",
        "repository-damaged",
        "The repository or our copy of it holds damaged objects.",
        "Remove the copy under the cache folder, it is made anew. If that does not help, run `git fsck` on the "
        "repository itself.",
    ),
)

CODES: Mapping[str, Code] = _table((*MANIFESTS, *GIT))
