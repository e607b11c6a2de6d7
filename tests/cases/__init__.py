"""Stories made from public bug reports: files, what happens in the members, and what must come of it.

Each folder of `fixtures/cases` holds one `case.yaml`:

    title, source      what was reported, and where
    settings           `spec` of gitops-karmada.yaml, besides the members
    members            names; folders, or real API servers where `real: true`
    steps              played in order; each is one push
      files            path → text, object or objects; null removes the file
      links            path → target of a symbolic link
      in               what others do in a member: [{put: OBJECT, manager: NAME, subresource: NAME} | {remove: KEY} |
                       {unreachable: true | false}]
      expect
        validate       {code, says, silent}: the verb is run, its output holds every `says` and no `silent`
        plan           {code, says, silent, summary}; nothing is written
        sync           {code, says, silent, outcomes}; code 0 unless told (any: not 0); false: the verb is not run
        again          true: the same verb again writes nothing anywhere; a number: so many times; false: not asked
        settle         turns to run first, where members' answers need them
        placed         KEY → {member: replicas}, exactly; null: nowhere
        works          member → KEY → {JSON pointer: value}; null for a value: absent; null for the KEY: no such object
        only           member → the keys of its works, exactly, namespaces aside
        files          path on the status branch → {JSON pointer: value}
        both           the same, read as YAML 1.1 and as YAML 1.2
        silent         path on the status branch → what its text must not hold
        why            KEY → what `why` says of it
        live           like works, asked of the members

A KEY is how the status branch names an object: `shop/deployment.apps/api`, `_cluster/namespace/shop`. What is said is
compared as text, or as a regular expression where it begins with `~`.
"""
