"""Real members for tests: kube-apiserver with etcd on loopback, an independent client, Git over HTTP.

Nothing here imports the product, so that what a test reads from a member or from Git is an independent witness.

Fixtures (`tests/conftest.py`), all lazy: nothing starts before a test asks.

    def test_something(members):                 # three real API servers, the same three for the whole session,
        one, two, three = members                # emptied (and woken, if stopped) before every test that asks
        one.name                                 # "member1"
        one.server                               # "https://127.0.0.1:23456"
        one.write_kubeconfig(path, user="hub")   # CA and token inside; token_file=PATH writes `tokenFile` instead
        one.admin                                # Client of a system:masters user, for the test's own reads and writes
        one.client("person")                     # Client of another user

    def test_death(start_cluster):               # a cluster of this test alone, stopped when the test ends
        cluster = start_cluster("member9")       # (name="private", controllers=False, scheduler=False, nodes=0)
        cluster.pause(); cluster.resume()        # SIGSTOP: connects and never answers (black hole); SIGCONT
        cluster.stop(); cluster.restart()        # SIGTERM: refused; restart on the same data, port and certificates
        cluster.kill()                           # SIGKILL

    def test_running(start_cluster):             # pods really get bound and become Ready, Deployments Available
        cluster = start_cluster("live", controllers=True, scheduler=True, nodes=2)

    def test_source(git_server):                 # factory: git_server(credentials=("user", "password")) -> GitServer
        server = git_server()                    # server.create("fleet"), server.url("fleet"), server.path("fleet")
        server.faults.break_off(after=2000)      # refuse(), hang(), status(503), heal(); see `gitserver.py`

Users (`cluster.token(user)`): `admin` (system:masters; the hand of the test itself), `hub`, `other-hub`,
`person`, `robot` (all three kinds bound to cluster-admin: give them to the product, to a second instance, to somebody
who changes things), `reader` (get, list, watch everything), `nobody` (no rights), `limited` (what the test grants:
`cluster.grant("limited", [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]}], namespace=None)`).

Client (`client.py`; objects are plain dicts; no namespace given means "default" for namespaced kinds, all for list):

    client.get("apps/v1", "Deployment", "web", "shop")         -> object; NotFoundError (an ApiError)
    client.find("apps/v1", "Deployment", "web", "shop")        -> object or None
    client.list("apps/v1", "Deployment", namespace=None, labels=None)  -> list of objects
    client.create(obj)                                         -> object
    client.replace(obj)                                        -> object (PUT)
    client.apply(obj, manager="somebody", force=False)         -> object (server-side apply)
    client.patch("apps/v1", "Deployment", "web", "shop", patch={...}, manager=None)         merge patch
    client.patch_status("apps/v1", "Deployment", "web", "shop", patch={...})                 merge patch of status
    client.delete("apps/v1", "Deployment", "web", "shop")
    client.namespace("shop")                                   -> creates the namespace if it is absent
    client.wait("apps/v1", "Deployment", "web", "shop", until=lambda obj: ..., seconds=10)   -> object
    client.wait_gone("apps/v1", "Deployment", "web", "shop", seconds=10)
    client.install(crd)                                        -> creates a CRD and waits until its kind is served
    client.request("GET", "/version")                          -> decoded JSON

Nodes and pods (`nodes.py`):

    create_node(client, "node-1", cpu="4", memory="16Gi", pods=110, labels={}, taints=[], ready=True)
    create_pod(client, "pod-1", "shop", node="node-1", cpu="1", memory="1Gi", labels={}, phase="Running")
    PretendingNodes(client, ["node-1"])          # context manager: bound pods become Running and Ready, deleted ones go

Audit (`audit.py`), the witness of who wrote what:

    mark = cluster.audit.mark()
    ... what is being tested ...
    cluster.audit.writes(since=mark, user="hub") -> tuple of Event(user, verb, group, resource, subresource, namespace,
                                                    name, code, user_agent, uri)
    cluster.audit.events(since=mark)             # reads too
    cluster.revisions()                          # etcd key -> revision of every object; equal later: no write
"""
