"""The package runs on Linux, macOS and Windows, in every locale."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import barthes

SOURCE = Path(barthes.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

POSIX_MODULES = set("fcntl grp posix pty pwd resource syslog termios tty".split())
POSIX_NAMES = {
    "os": set(
        """O_DIRECTORY O_NOFOLLOW O_NONBLOCK WEXITSTATUS WIFEXITED WIFSIGNALED WTERMSIG chown chroot fchown
        fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getpriority getuid killpg lchown
        mkfifo mknod nice openpty pread pwrite sched_getaffinity sched_setaffinity sendfile setegid seteuid
        setgid setpgid setpriority setsid setuid statvfs sync sysconf ttyname uname wait3 wait4""".split()
    ),
    "signal": set(
        """SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 alarm pause
        pthread_kill pthread_sigmask setitimer siginterrupt sigpending sigwait""".split()
    ),
}
GUARDS = ("hasattr(", "os.name", "sys.platform")
TEXT_CALLS = {"read_text": 0, "write_text": 1}  # the number of arguments before the encoding


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def find_posix_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each use of what Windows does not have."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names if each.name in POSIX_MODULES)
        elif isinstance(node, ast.ImportFrom):
            names = POSIX_NAMES.get(node.module or "", set())
            found = [each.name for each in node.names if each.name in names or node.module in POSIX_MODULES]
            yield from ((node.lineno, name) for name in found)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in POSIX_NAMES.get(node.value.id, set()):
                yield node.lineno, f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.keyword) and node.arg in ("preexec_fn", "start_new_session"):
            yield node.value.lineno, node.arg


def find_unguarded(text: str) -> list[str]:
    """Return the uses in functions that do not ask for the platform, or outside of functions."""
    tree, lines = ast.parse(text), text.split("\n")
    guarded: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            if any(guard in lines[number - 1] for guard in GUARDS for number in body):
                guarded |= set(body)
    return [f"{line}: {name}" for line, name in find_posix_names(tree) if line not in guarded]


def find_locale_dependent(tree: ast.AST) -> list[int]:
    """Return the lines that read or write text in the encoding of the locale."""
    lines = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or any(each.arg in ("encoding", None) for each in node.keywords):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in TEXT_CALLS and isinstance(node.func, ast.Attribute):
            lines += [node.lineno] if len(node.args) <= TEXT_CALLS[name] else []
        elif name == "open" and isinstance(node.func, ast.Name):
            modes = [each.value for each in node.args[1:2] if isinstance(each, ast.Constant)]
            lines += [] if any("b" in str(mode) for mode in modes) else [node.lineno]
    return lines


def test_posix_names_are_found():
    assert find_unguarded("import os\nos.fork()\n") == ["2: os.fork"]
    assert find_unguarded("from signal import SIGKILL") == ["1: SIGKILL"]
    assert find_unguarded("import os\ndef f():\n    if hasattr(os, 'nice'):\n        os.nice(1)\n") == []
    assert find_unguarded("def f():\n    import fcntl\n") == ["2: fcntl"]
    texts = "p.read_text()\np.write_text(a, 'utf-8')\nopen(f)\nopen(f, 'rb')"
    assert find_locale_dependent(ast.parse(texts)) == [1, 3]


def test_what_windows_lacks_is_used_only_where_the_platform_was_asked():
    wrong = {path.name: find_unguarded(path.read_text(encoding="utf-8")) for path in MODULES}
    assert {name: lines for name, lines in wrong.items() if lines} == {}


def test_tests_can_be_imported_without_posix_modules():
    root = Path(__file__).parents[2]
    paths = [*root.glob("tests/**/*.py"), *root.glob("research/tests/**/*.py")]
    importing = [
        path.name
        for path in paths
        for node in parse(path).body
        if isinstance(node, ast.Import) and POSIX_MODULES.intersection(each.name for each in node.names)
    ]
    assert importing == []


def test_text_files_do_not_depend_on_the_locale():
    wrong = {path.name: find_locale_dependent(parse(path)) for path in MODULES}
    assert {name: lines for name, lines in wrong.items() if lines} == {}
