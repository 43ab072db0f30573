"""The world of a job, built from the real one: files, git, clock, journal, surfaces. Not: the job."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from driftproof_action.clock_io import SystemClock, SystemEntropy
from driftproof_action.commands.base import Shelf
from driftproof_action.commands.guarding import guarded_files
from driftproof_action.commands.world import World
from driftproof_action.errors import InputError
from driftproof_action.files_io import FilesIO
from driftproof_action.git_io import GitIO
from driftproof_action.github.event import BaseCommit
from driftproof_action.journal_io import FILE as JOURNAL
from driftproof_action.journal_io import JournalIO
from driftproof_action.local_io import absolute, hand_over, private_folder, resume_folder, working_folder
from driftproof_action.ports import Door, Files, Git, Journal, Progress
from driftproof_action.progress_io import LineProgress, TerminalProgress, standard_error_moves
from driftproof_action.providers.anthropic_api import BASE_URL, AnthropicSurface, origin_of
from driftproof_action.providers.anthropic_api import SURFACE as API
from driftproof_action.providers.secret_values import Secrets
from driftproof_action.providers.stub import SURFACE as STUB
from driftproof_action.providers.stub import StubSurface, read_script
from driftproof_action.registry.models import Registry, parse, shipped
from driftproof_action.settings.run_settings import RunSettings

SCRIPT_LIMIT = 8 * 1024 * 1024


class _Journals:
    """One journal outside the checkout: in a private folder, or in the one named to go on from. It goes again unless somebody
    may want to resume from it."""

    def __init__(self, environ: Mapping[str, str], resume_dir: str | None, *, checkout: str) -> None:
        self._environ = environ
        self._resume_dir = resume_dir
        self._checkout = checkout
        self._journal: JournalIO | None = None

    def open(self, nonce: str) -> Journal:
        named = self._resume_dir
        folder = resume_folder(named, holds=JOURNAL, outside=self._checkout) if named else private_folder(self._environ)
        self._journal = JournalIO(folder, nonce=nonce)
        return self._journal

    def keep(self, wanted: bool) -> str:
        if self._journal is None:
            return ""
        if not wanted:
            self._journal.drop()
            return ""
        self._journal.close()
        folder = self._journal.path.parent
        if not self._resume_dir:
            hand_over(folder)
        return str(folder)


def build_world(
    settings: RunSettings,
    *,
    files: Files,
    out: Files,
    git: Git | None,
    environ: Mapping[str, str],
    stop: threading.Event,
    say: Callable[[str], None],
    read: Callable[[str], bytes],
    progress: Progress | None = None,
    run_url: str = "",
    pull_request: bool = False,
    example: bool = False,
) -> World:
    """read: a file the user named on the command line. Raises InputError for a script or registry that cannot be used."""
    journals, entropy = _Journals(environ, settings.resume_dir, checkout=files.root), SystemEntropy()
    registry = _registry(settings, read)
    surface, door = _surface(settings, registry, read)
    secrets = Secrets(settings.secrets)
    return World(
        files=guarded_files(files, secrets),
        out=guarded_files(out, secrets),
        git=git,
        clock=SystemClock(),
        token=entropy.token,
        registry=registry,
        surface=surface,
        endpoint=origin_of(settings.base_url or BASE_URL) if settings.live else None,
        surfaces={surface: door},
        open_journal=journals.open,
        keep_journal=journals.keep,
        stop=stop,
        seconds=settings.max_minutes * 60 if settings.live else None,
        say=say,
        hang_up=door.close,
        progress=progress,
        run_url=run_url,
        pull_request=pull_request,
        scripted=bool(settings.stub_script),
        example=example,
    )


def _surface(settings: RunSettings, registry: Registry, read: Callable[[str], bytes]) -> tuple[str, Door]:
    """Raises InputError without a key; a missing key is never a reason to answer with the stub."""
    if not settings.live:
        script = read_script(read(settings.stub_script), source=settings.stub_script) if settings.stub_script else ()
        return STUB, StubSurface(script)
    if not settings.has_key:
        raise InputError(
            "api-key is empty",
            detail="models are to be asked (mode live) and no key was given",
            fix="give the secret to the input api-key; on the command line set ANTHROPIC_API_KEY; or use mode stub",
            anchor="api-key-empty",
        )
    door = AnthropicSurface(
        api_key=settings.api_key,
        auth_token=settings.auth_token,
        base_url=settings.base_url or BASE_URL,
        caches=lambda model, system: registry.find(model).caches(system),
        secrets=Secrets(settings.secrets),
    )
    return API, door


def _registry(settings: RunSettings, read: Callable[[str], bytes]) -> Registry:
    if not settings.registry:
        return shipped()
    return parse(read(settings.registry), source=settings.registry, floor=shipped())


def read_named(path: str) -> bytes:
    """A file the user named on the command line, wherever it lies. Raises FileError."""
    folder, _, name = absolute(path).rpartition("/")
    return FilesIO(folder or "/").read(name, limit=SCRIPT_LIMIT)


def at_hand(
    settings: RunSettings, *, environ: Mapping[str, str], stop: threading.Event, say: Callable[[str], None]
) -> tuple[RunSettings, World, Shelf]:
    """What a command on the command line works with: the checkout the named skills lie in (the working folder's without a
    name), its last commit as the base, and the working folder to write to. Skills become paths of that checkout."""
    here = working_folder()
    named = [path for path in settings.skill_dir if path != "auto"]
    paths = [absolute(path) for path in named] or [here]
    root, git = _checkout(paths[0], here=here)
    if strays := [path for path in paths if path != root and not path.startswith(f"{root}/")]:
        raise InputError(
            "the skills named lie in different checkouts",
            place=strays[0],
            fix="run once for each checkout",
            anchor="several-checkouts",
        )
    inside = tuple(path[len(root) + 1 :] or "." for path in paths) if named else ("auto",)
    files = FilesIO(root)
    local = replace(settings, skill_dir=inside)
    world = build_world(
        local,
        files=files,
        out=FilesIO(here),
        git=git,
        environ=environ,
        stop=stop,
        say=say,
        read=read_named,
        progress=_progress(local, say),
    )
    return local, world, _shelf(settings, files, git)


def _progress(settings: RunSettings, say: Callable[[str], None]) -> Progress | None:
    """A stub without a script is over before anything could be shown."""
    if not settings.live and not settings.stub_script:
        return None
    return TerminalProgress() if standard_error_moves() else LineProgress(say)


def _checkout(path: str, *, here: str) -> tuple[str, GitIO | None]:
    """The checkout a path lies in. Outside of any: the working folder if the path lies below it, else the folder above it."""
    git = GitIO.at(path)
    if git:
        return git.root, git
    return (here if path == here or path.startswith(f"{here}/") else path.rpartition("/")[0] or "/"), None


def _shelf(settings: RunSettings, files: Files, git: Git | None) -> Shelf:
    """The base on the command line is the last commit; a receipt to compare with may lie anywhere the user can name."""
    head = git.resolve("HEAD") if git else None
    base = BaseCommit("found", head, "the last commit") if head else BaseCommit("none", None, "nothing is committed here")
    if settings.compare_with in ("auto", "base", "none"):
        return Shelf(git, files, base, settings.compare_with, settings.store, proposed=True)
    folder, _, name = absolute(settings.compare_with).rpartition("/")
    return Shelf(git, FilesIO(folder or "/"), base, name, settings.store)
