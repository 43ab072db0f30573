"""Builds the image from our Dockerfile the way a job runner does, on a machine that can pull nothing. Not: running it.

`python -m tests.container.image` builds what is missing and prints the figures. Base and image are kept below a cache folder,
each under the hash of what it is made of; DRIFTPROOF_CACHE moves that folder. DRIFTPROOF_BASE_IMAGE names a real base to pull.
With `--fresh` the image is built again from no cached layer, which is how long it takes on a job runner.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Read once, before any test clears the environment.
OWN_CACHE = os.environ.get("DRIFTPROOF_CACHE", "")
REAL_BASE = os.environ.get("DRIFTPROOF_BASE_IMAGE", "")

TOOLS: Mapping[str, str] = {
    "buildah": "buildah",
    "podman": "podman",
    "runc": "runc",
    "bwrap": "bubblewrap",
    "mmdebstrap": "mmdebstrap",
    "ip": "iproute2",
}
"""Command → the package that has it."""

KEPT_SECONDS = 2 * 24 * 3600
"""Images nobody used for so long are removed when another one is built."""

CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
PACKAGES = ("ca-certificates", "netbase", "python-is-python3", "python3", "python3-venv", "tzdata")
UNPACKED_NOT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*")
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SLIM = f"""mkdir -p "$1/etc/apt/apt.conf.d" "$1/etc/dpkg/dpkg.cfg.d"
echo 'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";' > "$1/etc/apt/apt.conf.d/docker-clean"
echo 'DPkg::Post-Invoke {{ "rm -f /var/cache/apt/archives/*.deb || true"; }};' >> "$1/etc/apt/apt.conf.d/docker-clean"
printf 'path-exclude %s\\n' {" ".join(f"'{path}'" for path in UNPACKED_NOT)} > "$1/etc/dpkg/dpkg.cfg.d/docker"
rm -rf "$1"/usr/share/locale/* "$1"/var/cache/apt/*.bin
"""
"""What the official slim images do to stay small; run by mmdebstrap with the new root as $1."""

CONTAINERS_CONF = """[containers]
default_ulimits = ["nofile=10000:10000", "nproc=8192:8192"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""
"""runc, because crun refuses mixed cgroups; the limits, because the ones podman takes over may be above what is allowed."""


class BuildError(Exception):
    """A tool ended badly; its last lines are in the text."""


@dataclass(frozen=True)
class Image:
    """name: as podman knows it. root: its files in a plain folder. size: bytes of all layers. *_seconds: how long each build
    took when it was made. entrypoint, env: what the image itself says; base_env: what its base said already."""

    name: str
    root: str
    size: int
    base_size: int
    base_seconds: float
    build_seconds: float
    entrypoint: tuple[str, ...]
    env: tuple[str, ...]
    base_env: tuple[str, ...]
    config: Mapping[str, object]


def missing_tools() -> tuple[str, ...]:
    """What this machine lacks to build and run the image, in words; empty when it can."""
    gone = [f"{command} (package {package})" for command, package in TOOLS.items() if shutil.which(command, path=_path()) is None]
    return (*gone, *(() if os.geteuid() == 0 else ("root: folders owned by others are part of what is tested",)))


def cache_folder() -> Path:
    """Outside every checkout, kept between runs."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(OWN_CACHE) if OWN_CACHE else Path(home) / "driftproof-image"


def _open_cache() -> Path:
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "containers.conf").write_text(CONTAINERS_CONF)
    return folder


def ready(*, fresh: bool = False) -> Image:
    """The image of this checkout as it stands; built when it is not in the cache. fresh: built again, from no cached layer.
    Raises BuildError."""
    folder = _open_cache()
    with _locked(folder / "lock"):
        base_key = _base_key()
        key = digest(base_key, *(part for path in sources() for part in (path, (ROOT / path).read_bytes())))
        record = folder / f"image-{key}.json"
        if fresh or not record.is_file():
            _remove_old(folder)
            record.write_text(json.dumps(asdict(_make(folder, base_key, key, fresh=fresh)), indent=2))
        os.utime(record)
        found = json.loads(record.read_text())
    lists = {name: tuple(found[name]) for name in ("entrypoint", "env", "base_env")}
    return Image(**{**found, **lists})


def base_image() -> str:
    """The base alone, by name; built when it is not in the cache. Raises BuildError."""
    folder = _open_cache()
    with _locked(folder / "lock"):
        return _base(folder, _base_key())[0]


def sources() -> tuple[str, ...]:
    """Every file the build can see, and the two that say which: paths from the root of the checkout."""
    named = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    found = {"Dockerfile", ".dockerignore"}
    for name in named:
        place = ROOT / name
        below = [path for path in place.rglob("*") if path.is_file()] if place.is_dir() else [place]
        found |= {path.relative_to(ROOT).as_posix() for path in below if "__pycache__" not in path.parts}
    return tuple(sorted(found))


def digest(*parts: str | bytes) -> str:
    whole = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "big") + data)
    return whole.hexdigest()[:16]


def tool(name: str, *words: str, **variables: str) -> str:
    """Run buildah or podman on the cache's own store; what it printed. Raises BuildError."""
    return _run((name, *store(), *words), environment=podman_environment() | variables)


def store() -> tuple[str, ...]:
    """Options that keep our images apart from whatever else the machine has."""
    folder = cache_folder()
    scratch = f"/run/driftproof-image-{digest(str(folder))}"
    return ("--root", str(folder / "store"), "--runroot", scratch, "--storage-driver", _driver(folder))


def podman_environment() -> dict[str, str]:
    return {"PATH": _path(), "HOME": os.environ.get("HOME", "/root"), "CONTAINERS_CONF": str(cache_folder() / "containers.conf")}


def _path() -> str:
    """runc and mmdebstrap's helpers live where a plain user's search path does not look."""
    return f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def _driver(folder: Path) -> str:
    """Layers cannot be stacked on a file system that is stacked itself (a container's own root)."""
    kind = _run(("stat", "--file-system", "--format", "%T", str(folder))).strip()
    return "vfs" if kind == "overlayfs" else "overlay"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


# ---- the stand-in base ------------------------------------------------------------------------------------------


def _base_key() -> str:
    if REAL_BASE:
        return digest("pulled", REAL_BASE)
    certificates = Path(CERTIFICATES)
    known = certificates.read_bytes() if certificates.is_file() else b""
    return digest(SLIM, *PACKAGES, _codename(), known, json.dumps(_pip_settings(), sort_keys=True))


def _codename() -> str:
    found = re.search(r'(?m)^VERSION_CODENAME="?([a-z]+)"?$', Path("/etc/os-release").read_text())
    if not found:
        raise BuildError("this machine is no Debian or Ubuntu: name a base in DRIFTPROOF_BASE_IMAGE")
    return found[1]


def _sources_list() -> str:
    """The machine's own package sources for its own distribution: wherever they are, that is where we get the base from."""
    shape = "$(CREATED_BY)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)"
    codename = _codename()
    lines = set()
    for line in _run(("apt-get", "indextargets", "--format", shape)).splitlines():
        kind, address, release, component = line.split("|")
        if kind == "Packages" and release.split("-")[0] == codename and component in ("main", "universe"):
            lines.add(f"deb {address} {release} {component}")
    if not lines:
        raise BuildError("apt knows no package lists: run apt-get update")
    return "\n".join(sorted(lines)) + "\n"


def _pip_settings() -> dict[str, str]:
    """Where this machine's pip looks, so that the one in the build looks there too."""
    names = (
        "PIP_INDEX_URL",
        "PIP_TRUSTED_HOST",
        "PIP_PROXY",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    )
    found = {name: os.environ[name] for name in names if os.environ.get(name)}
    listed = _run((sys.executable, "-m", "pip", "config", "list", "--disable-pip-version-check"), check=False)
    for name, value in re.findall(r"(?m)^(?:global|install)\.(index-url|trusted-host|proxy)='(.*)'$", listed):
        found.setdefault("PIP_" + name.replace("-", "_").upper(), value)
    return {"PIP_CERT": CERTIFICATES, **found}


def _base(folder: Path, key: str) -> tuple[str, float]:
    """Name of the base, and the seconds it took."""
    name, record = f"localhost/driftproof-base:{key}", folder / f"base-{key}.json"
    if record.is_file() and name in tool("buildah", "images", "--format", "{{.Name}}:{{.Tag}}").split():
        return name, float(json.loads(record.read_text())["seconds"])
    start = time.monotonic()
    if REAL_BASE:
        tool("buildah", "pull", "--quiet", REAL_BASE)
        tool("buildah", "tag", REAL_BASE, name)
    else:
        _stand_in(folder, name)
    seconds = time.monotonic() - start
    record.write_text(json.dumps({"seconds": seconds}))
    return name, seconds


def _stand_in(folder: Path, name: str) -> None:
    listed = folder / "sources.list"
    listed.write_text(_sources_list())
    certificates = f"copy-in {CERTIFICATES} {os.path.dirname(CERTIFICATES)}"
    hooks = [f"--customize-hook={SLIM}"] + [f"--customize-hook={certificates}"] * Path(CERTIFICATES).is_file()
    left_out = [f"--dpkgopt=path-exclude={path}" for path in UNPACKED_NOT]
    with _container("scratch") as (container, root):
        how = ("--quiet", "--variant=minbase", "--mode=root", f"--include={','.join(PACKAGES)}", *left_out, *hooks)
        _run(("mmdebstrap", *how, _codename(), root, str(listed)))
        settings = {"PATH": SEARCH_PATH, **_pip_settings()}
        tool("buildah", "config", *(word for pair in settings.items() for word in ("--env", "=".join(pair))), "--cmd", "python3", container)
        tool("buildah", "commit", "--quiet", container, name)


@contextmanager
def _container(image: str) -> Iterator[tuple[str, str]]:
    """A working container of an image and the folder it is mounted at; both go again."""
    container = tool("buildah", "from", "--pull-never", image).strip()
    try:
        yield container, tool("buildah", "mount", container).strip()
    finally:
        tool("buildah", "umount", container)
        tool("buildah", "rm", container)


# ---- the image --------------------------------------------------------------------------------------------------


def _make(folder: Path, base_key: str, key: str, *, fresh: bool) -> Image:
    base, base_seconds = _base(folder, base_key)
    name = f"localhost/driftproof-action:{key}"
    start = time.monotonic()
    # As the runner does it (Dockerfile and context are the action's folder), but for the base, which cannot be pulled here.
    how = ("--quiet", "--pull-never", "--isolation", "chroot", "--build-arg", f"PYTHON_IMAGE={base}", "--tag", name)
    how += ("--no-cache",) if fresh else ("--layers",)
    tool("buildah", "bud", *how, "--file", str(ROOT / "Dockerfile"), str(ROOT))
    seconds = time.monotonic() - start
    root = folder / "roots" / key
    shutil.rmtree(root, ignore_errors=True)
    root.parent.mkdir(exist_ok=True)
    with _container(name) as (_, mounted):
        _run(("cp", "--archive", mounted, str(root)))
    image, below = _inspect(name), _inspect(base)
    config = image["OCIv1"]["config"]
    return Image(
        name=name,
        root=str(root),
        size=_size(name),
        base_size=_size(base),
        base_seconds=round(base_seconds, 1),
        build_seconds=round(seconds, 1),
        entrypoint=tuple(config.get("Entrypoint", ())),
        env=tuple(config.get("Env", ())),
        base_env=tuple(below["OCIv1"]["config"].get("Env", ())),
        config=config,
    )


def _inspect(name: str) -> dict[str, dict[str, dict[str, list[str]]]]:
    found: dict[str, dict[str, dict[str, list[str]]]] = json.loads(tool("buildah", "inspect", "--type", "image", name))
    return found


def _size(name: str) -> int:
    return int(json.loads(tool("podman", "image", "inspect", name))[0]["Size"])


def _remove_old(folder: Path) -> None:
    """Images, and bases no image is left of."""
    now = time.time()
    for record in folder.glob("image-*.json"):
        if now - record.stat().st_mtime > KEPT_SECONDS:
            key = record.stem.removeprefix("image-")
            shutil.rmtree(folder / "roots" / key, ignore_errors=True)
            _run(("buildah", *store(), "rmi", f"localhost/driftproof-action:{key}"), environment=podman_environment(), check=False)
            record.unlink()


def _run(words: Sequence[str], *, environment: Mapping[str, str] | None = None, check: bool = True) -> str:
    given = dict(environment) if environment is not None else os.environ | {"PATH": _path()}
    done = subprocess.run(words, env=given, capture_output=True, text=True, errors="replace", check=False, timeout=900)
    if check and done.returncode != 0:
        told = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise BuildError(f"{' '.join(words[:1])} ended with {done.returncode}:\n{told}")
    return done.stdout


if __name__ == "__main__":
    if lacking := missing_tools():
        sys.exit("missing: " + ", ".join(lacking))
    built = ready(fresh="--fresh" in sys.argv[1:])
    megabyte = 1_000_000
    lines = (
        f"image        {built.name}",
        f"base         {built.base_size / megabyte:.0f} MB, made in {built.base_seconds:.1f} s",
        f"image        {built.size / megabyte:.0f} MB with its base, built in {built.build_seconds:.1f} s",
    )
    sys.stdout.write("\n".join(lines) + "\n")
