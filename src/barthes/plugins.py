"""Plugins: methods, models, formats, commands and corpora, those of Barthes and those of other packages.

Any package offers them as entry points in its ``pyproject.toml``, and Barthes finds its own the same way::

    [project.entry-points."barthes.methods"]       find_plugins("barthes.methods")
    capitals = "my_package:Capitals"          ──▶  {"sd": Plugin(…), …, "capitals": Plugin(…)}

A name of Barthes cannot be taken by another package. A plugin that cannot be loaded is named in a warning and
left out; the others work.
"""

from __future__ import annotations

import functools
import importlib.metadata
import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from barthes.errors import BarthesError

METHODS = "barthes.methods"
"""Subclasses of `barthes.Method`, by the name used on the command line."""
MODELS = "barthes.models"
"""Sources of language models (`barthes.models.loading.ModelSource`)."""
FORMATS = "barthes.formats"
"""Formats that scores are written in (`barthes.formats.FileFormat`)."""
COMMANDS = "barthes.commands"
"""Functions or typer apps that become commands."""
CORPORA = "barthes.corpora"
"""Labelled corpora (`barthes.evaluation.corpus.CorpusKind`)."""

_OWN = ("barthes", "barthes-research")  # their names take precedence
_logger = logging.getLogger("barthes")


@dataclass(frozen=True)
class Plugin:
    """A plugin that may not be loaded yet.

    Attributes:
        group: One of the groups of this module.
        name: Its name in the group.
        origin: The package and version that offers it, such as ``barthes 0.1.0``.
        load: Return the object, importing its module.
    """

    group: str
    name: str
    origin: str
    load: Callable[[], Any]


_registered: dict[str, dict[str, Plugin]] = defaultdict(dict)


def find_plugins(group: str) -> dict[str, Plugin]:
    """Return the plugins of a group by name, without importing them."""
    return {**_find_installed(group), **_registered[group]}


def load_plugins(group: str) -> dict[str, Any]:
    """Return the objects of a group by name; a plugin that cannot be loaded is left out with a warning."""
    loaded = {}
    for name, plugin in find_plugins(group).items():
        try:
            loaded[name] = load_plugin(plugin)
        except BarthesError as error:
            warn_once(str(error))
    return loaded


def load_plugin(plugin: Plugin) -> Any:
    """Return the object of a plugin.

    Raises:
        BarthesError: Its module cannot be imported, or does not have the object.
    """
    try:
        return plugin.load()
    except Exception as error:  # of any package
        kind = plugin.group.removeprefix("barthes.").removesuffix("s")
        raise BarthesError(
            f"the {kind} {plugin.name!r} of {plugin.origin} cannot be loaded"
            f" ({type(error).__name__}: {error}).",
            remedy="Update or uninstall that package.",
        ) from error


def register(group: str, name: str, plugin: object) -> None:
    """Add a plugin in this process only, for notebooks and tests; one of the same name is replaced.

    >>> from barthes.baselines.surface_cues import Length
    >>> register(METHODS, "words-per-line", Length)
    >>> find_plugins(METHODS)["words-per-line"].origin
    'this process'
    >>> unregister(METHODS, "words-per-line")
    """
    _registered[group][name] = Plugin(group, name, "this process", lambda: plugin)


def unregister(group: str, name: str) -> None:
    """Remove a plugin that was added with `register`."""
    del _registered[group][name]


@functools.cache
def _find_installed(group: str) -> dict[str, Plugin]:
    """Return the plugins of installed packages; those of Barthes come first."""
    points = [
        (point, point.dist.name if point.dist else "unknown")
        for point in importlib.metadata.entry_points(group=group)
    ]
    points.sort(key=lambda pair: pair[1] not in _OWN)
    found: dict[str, Plugin] = {}
    for point, package in points:
        version = f" {point.dist.version}" if point.dist else ""
        plugin = Plugin(group, point.name, package + version, point.load)
        if (other := found.setdefault(point.name, plugin)) is not plugin and other.origin != plugin.origin:
            warn_once(f"{plugin.origin} offers {point.name!r}, a name that {other.origin} already uses.")
    return found


@functools.cache
def warn_once(message: str) -> None:
    """Log a warning, once in a process."""
    _logger.warning("%s", message)
