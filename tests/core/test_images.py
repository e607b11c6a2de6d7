import pytest

from gitops_karmada.core.images import image

DIGEST = "sha256:" + "ab" * 32


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("nginx", ("", "nginx", "", "")),
        ("nginx:1.25", ("", "nginx", "1.25", "")),
        ("library/nginx", ("", "library/nginx", "", "")),
        ("localhost/nginx", ("localhost", "nginx", "", "")),
        ("a.b/nginx", ("a.b", "nginx", "", "")),
        ("host:5000/x/y", ("host:5000", "x/y", "", "")),
        (f"reg.local:5000/team/app@{DIGEST}", ("reg.local:5000", "team/app", "", DIGEST)),
        (f"repo:tag@{DIGEST}", ("", "repo", "tag", "")),
    ],
)
def test_an_image_name_is_taken_apart(text: str, parts: tuple[str, str, str, str]) -> None:
    """The colon of a port is no tag; a digest beside a tag is forgotten."""
    found = image(text)
    assert (found.registry, found.repository, found.tag, found.digest) == parts


@pytest.mark.parametrize("text", ["", "localhost/", "ghcr.io/:1", "Upper/Case", "a" * 256, "x:\n", "nginx:tag\n"])
def test_what_is_no_image_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no image name"):
        image(text)
