ARG PYTHON_IMAGE=python:3.12-slim

FROM ${PYTHON_IMAGE} AS build
COPY .ci/build.lock requirements.lock /locks/
# The tools that build the wheel stay in this stage; what runs gets an environment without pip.
RUN python -m venv /opt/build \
    && /opt/build/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r /locks/build.lock \
    && python -m venv --without-pip /opt/driftproof \
    && /opt/build/bin/pip --python /opt/driftproof/bin/python install --no-cache-dir --no-compile \
        --require-hashes --only-binary :all: -r /locks/requirements.lock
COPY pyproject.toml README.md LICENSE /source/
COPY driftproof_action /source/driftproof_action
# Compiled here whatever the environment says of byte code, and never checked against the sources again: neither changes.
RUN /opt/build/bin/pip wheel --no-cache-dir --no-index --no-deps --no-build-isolation --wheel-dir /wheels /source \
    && /opt/build/bin/pip --python /opt/driftproof/bin/python install --no-cache-dir --no-compile --no-index --no-deps /wheels/*.whl \
    && /opt/driftproof/bin/python -I -m compileall -q --invalidation-mode unchecked-hash /opt/driftproof/lib

FROM ${PYTHON_IMAGE}
# git's version is the distribution's: it gets its security fixes without us.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/driftproof /opt/driftproof
COPY entrypoint.py /opt/driftproof/entrypoint.py
# -I: nothing planted in the workspace, in HOME or in PYTHON* variables is imported.
ENTRYPOINT ["/opt/driftproof/bin/python", "-I", "-X", "utf8", "/opt/driftproof/entrypoint.py"]
