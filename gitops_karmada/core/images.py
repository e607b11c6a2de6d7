"""The names of container images, taken apart and put together again."""

import re
from dataclasses import dataclass, replace

_DOMAIN_PART = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN = rf"(?:{_DOMAIN_PART}(?:\.{_DOMAIN_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_NAME = rf"(?:{_DOMAIN}/)?{_PATH_PART}(?:/{_PATH_PART})*"
_TAG = r"\w[\w.-]{0,127}"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_IMAGE = re.compile(rf"(?P<name>{_NAME})(?::(?P<tag>{_TAG}))?(?:@(?P<digest>{_DIGEST}))?", re.ASCII)
_ONLY_TAG = re.compile(_TAG, re.ASCII)
_ONLY_DIGEST = re.compile(_DIGEST, re.ASCII)
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A tag and a digest never both: where both are written, the digest is forgotten, as in Karmada."""

    registry: str = ""
    repository: str = ""
    tag: str = ""
    digest: str = ""

    def __str__(self) -> str:
        name = f"{self.registry}/{self.repository}" if self.registry else self.repository
        if self.tag:
            return f"{name}:{self.tag}"
        return f"{name}@{self.digest}" if self.digest else name

    @property
    def tag_or_digest(self) -> str:
        return self.tag or self.digest

    def with_tag_or_digest(self, text: str) -> "Image":
        """What is neither a tag nor a digest changes nothing."""
        if _ONLY_TAG.fullmatch(text):
            return replace(self, tag=text, digest="")
        if _ONLY_DIGEST.fullmatch(text):
            return replace(self, tag="", digest=text)
        return self


def image(text: str) -> Image:
    """Read `[host[:port]/]path[:tag][@digest]`; a host has a dot or a colon, or is `localhost`."""
    found = _IMAGE.fullmatch(text)
    if not found or len(found["name"]) > _LONGEST_NAME:
        raise ValueError(f"{text!r} is no image name")
    registry, slash, repository = found["name"].partition("/")
    if not slash or not ("." in registry or ":" in registry or registry == "localhost"):
        registry, repository = "", found["name"]
    tag = found["tag"] or ""
    return Image(registry=registry, repository=repository, tag=tag, digest="" if tag else found["digest"] or "")
