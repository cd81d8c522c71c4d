"""The release build of the program, for the scripts that run it."""

import os
import pathlib
import socket
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def build():
    """Builds the program as users get it, and returns the path of the binary."""
    subprocess.run([ROOT / "script/build"], check=True, stdout=sys.stderr)
    shown = subprocess.run([ROOT / "script/build", "--show-bin-path"], check=True, capture_output=True, text=True)
    return shown.stdout.strip() + "/tonearm"


def environment():
    """Returns the environment without settings of the program."""
    return {name: value for name, value in os.environ.items() if not name.startswith("TONEARM_")}


def free_port():
    """Returns an unused port of the loopback address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]
