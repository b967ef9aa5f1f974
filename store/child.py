"""A long-running program started by us, in its own session, that never outlives us by accident."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

__all__ = ["CannotStart", "Child", "as_account", "is_disk_full", "says_disk_full"]

PR_SET_PDEATHSIG = 1
NEARLY_FULL = 16 * 1024 * 1024
FULL_DISK_WORDS = ("No space left on device", "Disk quota exceeded")


class CannotStart(Exception):
    """What keeps the servers from running, and how to mend it, in Portuguese."""


def is_disk_full(why: OSError) -> bool:
    """Whether the system refused to write for want of space."""
    return why.errno in (errno.ENOSPC, errno.EDQUOT)


def says_disk_full(text: str) -> bool:
    """Whether a program complains of want of space."""
    return any(words in text for words in FULL_DISK_WORDS)


class Child:
    """One program, its log, and how it is asked to stop.

    It gets a session of its own, so that Ctrl-C in the terminal reaches only us and the order of
    stopping is ours. On Linux the kernel sends it ``stop_signal`` when this process dies, even by
    ``kill -9``. ``hold`` is a descriptor that it and its children keep open: a lock on it lasts until
    the last of them is gone. ``account`` is the unprivileged account to run as when we are root.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        log: Path | None,
        stop_signal: signal.Signals = signal.SIGTERM,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        hold: int | None = None,
        account: pwd.struct_passwd | None = None,
    ) -> None:
        self.name = name
        self.log = log
        self._stop_signal = stop_signal
        self._over = False
        self._log_start = log.stat().st_size if log is not None and log.exists() else 0
        output = None if log is None else log.open("ab")
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own command, no shell
                [os.fspath(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=cwd,
                env=env,
                pass_fds=() if hold is None else (hold,),
                start_new_session=True,
                preexec_fn=_stopped_with_parent(stop_signal),  # a single system call
                **as_account(account),
            )
        finally:
            if output is not None:
                output.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._process.poll()

    def wait(self) -> int:
        """Block until it ends; the exit code."""
        return self._process.wait()

    def stop(self, patience: float) -> None:
        """Ask it to stop, wait ``patience`` seconds, then kill what is left of its session."""
        if self._process.poll() is None:
            self._process.send_signal(self._stop_signal)
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                self.kill()
        self.kill()

    def kill(self) -> None:
        """Kill it and every process of its session."""
        if self._over:
            return  # its number may be another's by now
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self._over = True

    def said(self) -> str:
        """What it wrote to its log since it was started (at most the last 4 kB)."""
        if self.log is None:
            return ""
        with self.log.open("rb") as text:
            size = text.seek(0, os.SEEK_END)
            text.seek(max(self._log_start, size - 4096))
            return text.read().decode(errors="replace")

    def _disk_is_full(self) -> bool:
        """A full disk may have swallowed the very line that tells of it."""
        return self.log is not None and shutil.disk_usage(self.log.parent).free < NEARLY_FULL

    def obituary(self) -> CannotStart:
        """Why it ended, as far as its log tells."""
        said = self.said()
        if says_disk_full(said) or self._disk_is_full():
            return CannotStart(
                f"{self.name} parou porque o disco está cheio. Libere espaço em disco e inicie de novo; "
                "o que já foi confirmado está guardado."
            )
        lines = "\n".join(f"    {line}" for line in said.strip().splitlines()[-5:])
        where = f" Veja {self.log}:\n{lines}" if self.log is not None else ""
        return CannotStart(f"{self.name} parou sem ser chamado (código {self.poll()}).{where}")


class RunAs(TypedDict):
    """Arguments of `subprocess` that choose who runs a program."""

    user: int | None
    group: int | None
    extra_groups: list[int] | None


def as_account(account: pwd.struct_passwd | None) -> RunAs:
    """Run as ``account``, with no other group; None changes nothing."""
    if account is None:
        return {"user": None, "group": None, "extra_groups": None}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _stopped_with_parent(stop_signal: signal.Signals) -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl

    def arm() -> None:
        prctl(PR_SET_PDEATHSIG, int(stop_signal))

    return arm
