# syntax=docker/dockerfile:1

FROM python:3.13-slim AS build
WORKDIR /source
RUN python -m venv /opt/gitops-karmada
ENV PATH=/opt/gitops-karmada/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements/runtime.txt requirements/build.txt requirements/
RUN pip install --require-hashes -r requirements/runtime.txt
RUN python -m venv /opt/build && /opt/build/bin/pip install --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md ./
COPY gitops_karmada gitops_karmada
COPY repo-layout repo-layout
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && pip install --no-deps --no-index dist/*.whl \
    && pip uninstall --yes pip

FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/gitops-karmada /opt/gitops-karmada
# A number, so that runAsNonRoot can be checked before the container starts.
RUN useradd --uid 65532 --user-group --create-home --home-dir /var/lib/gitops-karmada gitops-karmada
ENV PATH=/opt/gitops-karmada/bin:$PATH HOME=/var/lib/gitops-karmada PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 65532:65532
WORKDIR /var/lib/gitops-karmada
ENTRYPOINT ["gitops-karmada", "run"]
