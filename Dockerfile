# Legio in a container: Python, the locked dependencies, the program, and nothing that builds or installs.
#
# Debian and not Alpine: the claude CLI that the Agent SDK bundles is a glibc binary (377 MB, most of the image).

FROM python:3.11-slim-bookworm AS build

RUN python -m venv /opt/legio

WORKDIR /build
COPY .ci/requirements.lock ./
RUN /opt/legio/bin/pip install --no-cache-dir --require-hashes --only-binary=:all: -r requirements.lock

COPY pyproject.toml README.md LICENSE ./
COPY legio ./legio
RUN /opt/legio/bin/pip install --no-cache-dir --no-deps . \
    && /opt/legio/bin/pip uninstall --yes setuptools pip


FROM python:3.11-slim-bookworm

# The owner of the castra on the host may be given here, so that both can edit it.
ARG CAESAR_UID=10001

# The user is in /etc/passwd, as the CLI asks for its name; his home is of no use to anybody.
RUN python -m pip uninstall --yes wheel setuptools pip \
    && useradd --uid "$CAESAR_UID" --user-group --no-create-home --home-dir /srv/legio legio \
    && install --directory --owner=legio --group=legio --mode=0700 /srv/legio/castra /srv/legio/backups

COPY --from=build /opt/legio /opt/legio
ENV PATH=/opt/legio/bin:$PATH PYTHONUNBUFFERED=1

WORKDIR /srv/legio
USER $CAESAR_UID
VOLUME ["/srv/legio/castra", "/srv/legio/backups"]

STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["legio", "health", "--config", "/srv/legio/legio.toml"]

ENTRYPOINT ["legio"]
CMD ["run", "--config", "/srv/legio/legio.toml"]
