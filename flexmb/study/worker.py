"""A worker: reads one request per line, writes one answer per line, and ends when its input is closed.

{"run": TASK, "curves": {KEY: FILE}}   ->  the row, see ``task.run_task``
{"warm": TASK}                         ->  {}
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from functools import lru_cache
from pathlib import Path
from queue import SimpleQueue

from flexmb.study.task import run_task, warm_task


def main() -> None:
    """Serve until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # other output must not mix with the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent process decides
    requests: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        answers.write(_answer(json.loads(requests.get())) + "\n")
        answers.flush()


def _listen(requests: SimpleQueue[str]) -> None:
    """Read requests; when their writer is gone, end immediately, even during a run."""
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


def _answer(request: dict[str, str | dict[str, str]]) -> str:
    if "warm" in request:
        warm_task(str(request["warm"]))
        return "{}"
    files = request["curves"]
    assert isinstance(files, dict)
    row = run_task(str(request["run"]), {key: _content(file) for key, file in files.items()})
    return json.dumps(json.loads(row))  # on one line


@lru_cache(maxsize=16)
def _content(file: str) -> bytes:
    return Path(file).read_bytes()


if __name__ == "__main__":
    main()
