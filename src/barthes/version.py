"""The version of Barthes, and of the packages that its results depend on."""

__version__ = "0.1.0"


def package_version(package: str) -> str:
    """Return the version of an installed package, if it is known.

    >>> package_version("no-such-package")
    'of unknown version'
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:  # copied there by hand
        return "of unknown version"
