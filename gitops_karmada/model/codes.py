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

POLICIES = (
    _code(
        "GK2001",
        "matches-nothing",
        "A selector matches no object of the repository.",
        "apiVersion, kind and name are compared letter by letter, and the namespace of a namespaced policy is its "
        "own. The message names the closest object where there is one. Correct the selector, or remove it when "
        "what it meant is gone.",
    ),
    _code(
        "GK2002",
        "matched-by-no-policy",
        "An object is selected by no policy, so it goes nowhere.",
        "Write a PropagationPolicy that selects it, or let a workload that needs it bring it along with "
        "`propagateDeps: true`. Objects that are not meant for members belong outside the source paths.",
    ),
    _code(
        "GK2003",
        "shadowed-policy",
        "A policy gets none of the objects that it selects.",
        "For each of them another policy wins: by the higher `priority`, by the closer selector (name before "
        "labels before all), by the smaller name, or because a PropagationPolicy goes before every "
        "ClusterPropagationPolicy. Raise the priority, narrow the other policy, or remove this one.",
    ),
    _code(
        "GK2004",
        "no-such-cluster",
        "A policy names a cluster, a label or a field value that no registered cluster has.",
        "What is meant cannot be placed there. Register the cluster, or correct the name; the message names the "
        "closest one where there is one.",
    ),
    _code(
        "GK2005",
        "spread-cannot-be-met",
        "A spread constraint asks for more groups than the registered clusters have.",
        "Nothing is placed until there are as many clusters, regions or zones as `minGroups` asks for.",
    ),
    _code(
        "GK2006",
        "override-failed",
        "An override cannot be applied to the object.",
        "The object keeps what it has in that member; other members and objects go on. JSON patches need the "
        "path they touch: `replace` and `remove` the field itself, `add` its parent. Use labelsOverrider and "
        "annotationsOverrider where the map may be missing, or select fewer objects.",
    ),
    _code(
        "GK2007",
        "same-path-twice",
        "Two overrides of equal rank write the same field.",
        "The one whose policy name sorts last wins. Make one of them more specific, or write the field once.",
    ),
    _code(
        "GK2008",
        "no-effect",
        "A setting has no effect where it stands.",
        "Another setting decides, or the setting belongs to a mode that is not chosen. The message names it. "
        "Remove the setting, or choose the mode that it needs.",
    ),
    _code(
        "GK2009",
        "weights-without-cluster",
        "A static weight is given to a cluster that the policy never chooses.",
        "Weights divide replicas among the clusters that the affinity leaves; they add none. Add the cluster to "
        "the affinity, or remove the weight.",
    ),
    _code(
        "GK2010",
        "deprecated-field",
        "A field is deprecated.",
        "It is still read. The message names the field that replaces it.",
    ),
    _code(
        "GK2011",
        "policy-unreadable",
        "A field of a policy, cluster or quota has the wrong type or a value that is not among the allowed ones.",
        "The object is not used until it is corrected; what it governed stays as it is.",
    ),
    _code(
        "GK2012",
        "unknown-field",
        "A field that nobody reads.",
        "It is probably misspelt, or stands at the wrong depth: the message names the closest known field.",
    ),
    _code(
        "GK2020",
        "selector-invalid",
        "A resource selector is not allowed or can never match.",
        "A policy needs at least one selector; a namespaced policy selects objects of its own namespace only.",
    ),
    _code(
        "GK2021",
        "affinity-invalid",
        "A cluster affinity is contradictory or names what clusters do not have.",
        "Use `clusterAffinity` or `clusterAffinities`, not both; every affinityName once; field selectors with the "
        "keys provider, region, zone and the operators In, NotIn; overflow groups only with replicas divided by "
        "room, and behind a group that has criteria of its own.",
    ),
    _code(
        "GK2022",
        "spread-invalid",
        "Spread constraints are contradictory.",
        "Each is by a field or by a label, with 0 ≤ minGroups ≤ maxGroups (maxGroups 0: no limit); every field "
        "once; and a constraint by cluster must be among them.",
    ),
    _code(
        "GK2023",
        "failover-invalid",
        "Failover settings are contradictory.",
        "Application failover needs `propagateDeps: true`, times that are not negative, and a grace period exactly "
        "when the purge mode is Gracefully.",
    ),
    _code(
        "GK2024",
        "preemption-needs-names",
        "A policy that may take over objects must name each of them.",
        "With `preemption: Always` every resource selector needs a name.",
    ),
    _code(
        "GK2025",
        "suspension-contradictory",
        "Dispatching is suspended everywhere and on some clusters at once.",
        "Use `dispatching: true` or `dispatchingOnClusters`.",
    ),
    _code(
        "GK2026",
        "override-forms-mixed",
        "An override policy uses the old and the new form together.",
        "`targetCluster` and `overriders` directly under spec are not read beside `overrideRules`. Make them "
        "another rule of the list.",
    ),
    _code(
        "GK2027",
        "overrider-invalid",
        "An overrider can never be applied.",
        "JSON pointers start with `/`; `add` and `replace` of structured text need a value and `remove` takes "
        "none; exactly one of json and yaml is set; keys and values must be legal labels or annotations.",
    ),
    _code(
        "GK2028",
        "cluster-invalid",
        "A Cluster is not as Karmada's API demands.",
        "Names have at most 48 lower-case letters, digits and `-`; taints have the effect NoSchedule or NoExecute, "
        "each key and effect once; resource models are without gaps from 0 upwards.",
    ),
    _code(
        "GK2029",
        "quota-invalid",
        "A FederatedResourceQuota is contradictory.",
        "Amounts are not negative, static assignments name resources of `overall` and together do not exceed it.",
    ),
    _code(
        "GK2030",
        "taint-policy-invalid",
        "A ClusterTaintPolicy is not allowed.",
        "Each key and effect once; the effect NoExecute needs failover to be enabled in the settings.",
    ),
    _code(
        "GK2031",
        "customizations-conflict",
        "Two customizations define the same operation for the same kind, or one cannot be used.",
        "Only dependency interpretation may come from several customizations. Remove one of the scripts.",
    ),
    _code(
        "GK2032",
        "interpreter-webhook-invalid",
        "An interpreter webhook cannot be called as configured.",
        "It needs a full name, exactly one of url and service, a timeout of 1 to 30 seconds, known operations, and "
        "v1alpha1 among its context versions.",
    ),
    _code(
        "GK2033",
        "toleration-invalid",
        "A toleration has an operator that clusters do not know.",
        "Use Equal (the default) or Exists.",
    ),
    _code(
        "GK2034",
        "workload-affinity-invalid",
        "Workload affinity is contradictory.",
        "Affinity and anti-affinity group by different, legal label keys.",
    ),
    _code(
        "GK2035",
        "immutable-field",
        "A field that never changes was changed.",
        "`schedulerName` of a policy is fixed. Make a new policy instead.",
    ),
    _code(
        "GK2036",
        "rebalancer-invalid",
        "A WorkloadRebalancer names no workload, or one that is incomplete.",
        "Every workload needs apiVersion, kind and name, and its namespace where it has one.",
    ),
    _code(
        "GK2040",
        "overlapping-policies",
        "Two policies of the same priority select the same object equally closely.",
        "The one whose name sorts first wins, which is easily changed by accident. Give one of them a higher "
        "`priority`.",
    ),
    _code(
        "GK2041",
        "weights-ignore-spread",
        "Static weights stand beside spread constraints, which they make ineffective in part.",
        "With static weights every selected cluster with a weight gets its share; how many replicas fit or how "
        "groups are scored plays no role. Use dynamic weights, or list the clusters in the affinity.",
    ),
    _code(
        "GK2042",
        "no-interpreter",
        "A custom kind has replicas that nobody interprets.",
        "Its objects are copied to every chosen cluster as they are: replicas are not divided and room is not "
        "counted. Add a ResourceInterpreterCustomization with replicaResource and replicaRevision.",
    ),
    _code(
        "GK2043",
        "conflict-resolution-unknown",
        "An annotation asks for a conflict resolution that does not exist.",
        "`work.karmada.io/conflict-resolution` is `overwrite` or `abort`, in lower case; anything else is ignored "
        "and the policy decides.",
    ),
    _code(
        "GK2051",
        "overrider-idle",
        "An overrider met nothing to change.",
        "Image, command and args overriders know Pod, Deployment, ReplicaSet, DaemonSet, StatefulSet and Job, and "
        "their main containers. For other places give imageOverrider a predicate, or use plaintext.",
    ),
    _code(
        "GK2052",
        "dependency-missing",
        "A workload needs an object that is not in the repository.",
        "Nothing is sent in its place. Commit the object, or make sure that every chosen member has it.",
    ),
    _code(
        "GK2053",
        "dependency-settings-differ",
        "Workloads that share a dependency ask for different conflict resolutions or preservation.",
        "Overwrite and preservation win. Give the policies the same settings, or the dependency its own policy.",
    ),
    _code(
        "GK2054",
        "eviction-refused",
        "A workload should leave a member, and the state that has to move with it is not there.",
        "`statePreservation` reads the status of the copy that is left. Until the member has reported it, or the JSON "
        "path finds something, the workload stays. See the status in the binding's file, and correct the path.",
    ),
    _code(
        "GK2055",
        "not-placed",
        "No members can take an object as its policy asks for.",
        "Too few clusters fit, there is too little room, or a quota stands against it. What runs already stays where "
        "it is, and every turn tries again. `why` names what each cluster lacks.",
    ),
    _code(
        "GK2056",
        "left-in-place",
        "The policy of an object is gone, and the object stays where it was.",
        "Deleting a policy deletes nothing that it placed. Later changes of the object are not sent, until a policy "
        "selects it again; when the object leaves the repository it leaves the members too.",
    ),
    _code(
        "GK2047",
        "waiting-for-override",
        "A policy waits for overrides that it depends on.",
        "`dependentOverrides` names override policies that must exist before the policy takes effect: "
        "OverridePolicies of its namespace, or ClusterOverridePolicies for a ClusterPropagationPolicy.",
    ),
    _code(
        "GK2048",
        "never-propagated",
        "A policy selects a kind or namespace that is never propagated.",
        "Karmada's own kinds, events, leases and the namespaces kube-* and karmada-* stay where they are. The list "
        "can be changed in the settings.",
    ),
    _code(
        "GK2049",
        "priority-class-missing",
        "A policy refers to a PriorityClass that is not in the repository.",
        "The binding stays as it is until the class is there. Commit the PriorityClass, or remove schedulePriority.",
    ),
    _code(
        "GK2050",
        "not-interpreted",
        "What an object asks for cannot be told.",
        "Its replicas, needs or dependencies are not written as its kind demands, or a customization failed on it. "
        "The message names the field. Until it is corrected the object keeps what it has.",
    ),
    _code(
        "GK2057",
        "status-not-interpreted",
        "What a live object says of itself cannot be told.",
        "A customization failed on its status, or the status is not written as its kind demands. What is placed "
        "stays as it is; the last known status stays, and a health that cannot be told is Unknown.",
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
        "Only https, http, ssh and file addresses are used, and no name may start with `-`. Credentials belong into a "
        "file that is named with --git-token-file or --git-ssh-key; those in an address are shown and kept nowhere.",
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
    _code(
        "GK4011",
        "status-branch-damaged",
        "A file of the status branch cannot be understood.",
        "Somebody edited it by hand, or a newer version wrote it. What it said is not known, so nothing is deleted "
        "until it can be read; all else goes on. Revert the commit that changed it: `git log` of the file names it.",
    ),
)

MEMBERS = (
    _code(
        "GK5001",
        "member-unreachable",
        "A member cluster does not answer, or not as an API server does.",
        "What runs there is kept where it is and nothing is deleted; the other members go on. The reason names the "
        "request that failed. Check the network, the address and the member's API server. Nothing has to be done "
        "here when it is back: the next turn applies what it missed.",
    ),
    _code(
        "GK5002",
        "member-unauthorized",
        "A member cluster refuses our credentials.",
        "The token or certificate is wrong or has ended. Put a new one into the operator's credentials folder; it is "
        "read again by the next turn, without a restart.",
    ),
    _code(
        "GK5003",
        "member-forbidden",
        "Our identity in a member lacks a right.",
        "The verb and the resource are named. Grant them to the identity that gitops-karmada uses in the member. "
        "Without nodes and pods the last known capacity counts.",
    ),
    _code(
        "GK5010",
        "member-identity-changed",
        "Another cluster answers in the place of this member.",
        "The UID of the namespace kube-system tells clusters apart, and it is not the one known. Nothing is written "
        "there. Correct the credentials; if the cluster was made anew on purpose, set spec.id of its Cluster.",
    ),
    _code(
        "GK5012",
        "discovery-incomplete",
        "A member did not tell all the APIs that it serves.",
        "Usually an aggregated API is down. Kinds that were not told of keep their last known state: they are neither "
        "applied nor deleted. Look for an APIService that is not available in the member.",
    ),
    _code(
        "GK5013",
        "member-list-failed",
        "Nodes, pods or autoscalers of a member could not be listed.",
        "The member answered with an error, which is repeated. Its last known capacity counts until it can be read.",
    ),
    _code(
        "GK5014",
        "write-would-be-refused",
        "A member would not take an object as it would be applied.",
        "`plan` asks members to rehearse what it would apply over objects of ours (a server-side apply with dryRun, "
        "which writes nothing). The member's words are repeated. A field that cannot be changed has to stay, or "
        'the object has to be made anew: gitops-karmada.io/recreate: "true" on the template allows that, except for '
        "kinds that would lose what they hold.",
    ),
)

OPERATION = (
    _code(
        "GK8001",
        "usage",
        "A command, flag or argument is not as it should be.",
        "Nothing was read or contacted. `gitops-karmada --help` lists the commands, `gitops-karmada COMMAND --help` "
        "the flags of one. A flag may also be given as an environment variable: GITOPS_KARMADA_ and its name.",
    ),
    _code(
        "GK8002",
        "settings",
        "gitops-karmada.yaml, a flag or a file that it names cannot be used.",
        "The settings stand in gitops-karmada.yaml at the root of the repository; `gitops-karmada init` writes one "
        "with every setting explained. A daemon goes on with what it knew until they can be read again.",
    ),
    _code(
        "GK8003",
        "member-settings",
        "Members and clusters do not fit each other, or a member's credentials are no file name.",
        "Each Cluster of the repository needs a member below spec.members, and each member a Cluster. Credentials "
        "name one file of the folder that the operator gives with --credentials: what a repository says never "
        "becomes a path, a URL or a program.",
    ),
    _code(
        "GK8010",
        "notification-undelivered",
        "A notification could not be delivered.",
        "The turn is not affected, and these notices are not sent again. Check the webhook's address in the file "
        "that the settings name, the network and the receiver.",
    ),
    _code(
        "GK9001",
        "defect",
        "A defect of gitops-karmada.",
        "The command stopped; what it had published or applied stays, and it may be run again. The file that was "
        "named holds the versions, the command without credentials and where it happened: please report it.",
    ),
)

CODES: Mapping[str, Code] = _table((*MANIFESTS, *POLICIES, *GIT, *MEMBERS, *OPERATION))
