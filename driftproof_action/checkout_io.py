"""Where a checkout's repository lies, which git may read it, and under which settings. Not: running it (git_io.py)."""

from __future__ import annotations

import base64
import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from driftproof_action.errors import GitError

# Settings of the command line win over every file of the repository.
OVERRIDES = (
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "diff.external=",
    "credential.helper=",
    "commit.gpgSign=false",
    "log.showSignature=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "protocol.ext.allow=never",
    "http.followRedirects=false",
)

# Nothing of our own environment reaches git but these: no GIT_*, no HOME (a .netrc or .gitconfig lies there).
ENVIRONMENT = {
    "HOME": "/dev/null",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    # A missing object must be an error, never a reason to talk to a remote the repository's settings name.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}

_NETWORK_VARIABLES = ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR")


def find_program(search: str, root: str) -> str:
    """The first git of the search path that does not lie in the checkout it is to read."""
    inside = root.rstrip("/") + "/"
    folders = [folder for folder in search.split(os.pathsep) if os.path.isabs(folder)]
    for folder in folders:
        found = shutil.which("git", path=folder)
        if found and not os.path.realpath(found).startswith(inside):
            return found
    raise GitError("git is not installed", fix="install git, or add it to PATH", anchor="git-absent")


def git_dir_of(folder: Path) -> str | None:
    """The repository a folder is the checkout of: its `.git` folder, or what its `.git` file names."""
    entry = folder / ".git"
    try:
        if entry.is_dir():
            return str(entry) if (entry / "HEAD").is_file() else None
        if not stat.S_ISREG(entry.lstat().st_mode):
            return None
        with entry.open("rb") as handle:
            text = handle.read(4096)
    except OSError:
        return None
    if not text.startswith(b"gitdir: "):
        return None
    named = os.path.join(folder, os.fsdecode(text[8:].rstrip(b"\r\n")))
    return os.path.realpath(named) if os.path.isfile(os.path.join(named, "HEAD")) else None


def may_fetch_from(origin: str) -> bool:
    """https, or http on this machine itself; no user name in the address."""
    parts = urlsplit(origin)
    if parts.username is not None or parts.password is not None or not parts.hostname:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost"))


def fetch_environment(origin: str, *, token: str | None, environ: Mapping[str, str]) -> dict[str, str]:
    """What one fetch needs beside ENVIRONMENT; the token goes through here alone, never through an argument or a file."""
    extra = {"GIT_ALLOW_PROTOCOL": urlsplit(origin).scheme}
    extra |= {name: environ[name] for name in _NETWORK_VARIABLES if name in environ}
    if token:
        credential = base64.b64encode(f"x-access-token:{token}".encode()).decode("ascii")
        extra |= {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{origin}.extraheader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {credential}",
        }
    return extra


def commit_environment(when: str) -> dict[str, str]:
    """Who commits, and when (ISO 8601), in repositories we make ourselves."""
    signature = (("NAME", "driftproof"), ("EMAIL", "driftproof@localhost"), ("DATE", when))
    return {f"GIT_{role}_{field}": value for role in ("AUTHOR", "COMMITTER") for field, value in signature}


def pathspec(path: str) -> tuple[str, ...]:
    """A path relative to the checkout as git is told it, nothing for the root. Raises GitError when it leads out."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    half_a_pair = any("\ud800" <= char <= "\udfff" and not "\udc80" <= char <= "\udcff" for char in path)
    if path.startswith("/") or ".." in parts or "\0" in path or half_a_pair:
        raise GitError("leads out of the checkout", place=shown_name(path), fix="name it relative to the checkout", anchor="git")
    return ("/".join(parts),) if parts else ()


def shown_name(name: bytes | str) -> str:
    """A name of any bytes as messages show it."""
    text = (name.encode("utf-8", "backslashreplace") if isinstance(name, str) else name).decode("ascii", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)[:200]
