#!/usr/bin/env python3
"""Runs a command with a terminal as its stdout and stderr, and prints its output."""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
os.close(slave)
while True:
    try:
        data = os.read(master, 65536)
    except OSError:
        # Linux fails so when no process has the terminal open any more.
        break
    if not data:
        break
    os.write(1, data)
sys.exit(child.wait() % 256)
