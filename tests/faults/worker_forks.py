"""Forks of the shipped worker, one for each line on standard input: killed ones are replaced without another import.

Says the process id of each fork; kills what is left of them when its input ends.
"""

import os
import signal
import sys

import worker

signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the killed
forks = []
for _ in sys.stdin:
    fork = os.fork()
    if not fork:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)  # the pipe is for process ids
        worker.main()
        os._exit(0)
    forks.append(fork)
    print(fork, flush=True)
for fork in forks:
    try:
        if os.getpgid(fork) == os.getpgrp():  # else its number is another process's by now
            os.kill(fork, signal.SIGKILL)
    except ProcessLookupError:
        continue
