"""Runs Rookery's commands and a server, and collects their error messages."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATH = os.environ["PATH"] + ":/usr/games"


def which(program):
    return shutil.which(program, path=PATH)


def progress(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def run(command, seconds, folder=ROOT):
    """Runs a command. Returns its exit status, or `None` after a timeout, and its output."""
    with subprocess.Popen(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, "PATH": PATH},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return None, output + f"\nno end after {seconds} s"


class Failure(Exception):
    """The fault of a step."""


def shortened(message):
    message = " ".join(message.split())
    return message if len(message) <= 300 else f"{message[:140]} … {message[-150:]}"


def last_words(output):
    """Returns the errors in a command's output, without its progress."""
    lines = [line for line in output.splitlines() if line.strip()]
    first = next((at for at, line in enumerate(lines) if line.startswith("error")), -3)
    return " / ".join(lines[first:])[:1500]


class Server:
    """A server with an engine's configuration."""

    def __init__(self, engine):
        self.path = engine.work / "server.log"
        command = [engine.options.rookery, "serve", "--config", engine.config]
        with open(self.path, "w") as log:
            self.process = subprocess.Popen(
                [*command, "--listen", "127.0.0.1:0"], stdout=log, stderr=log
            )

    def __enter__(self):
        deadline = time.monotonic() + 60
        while not (found := re.search(r"listening on (http://\S+)", self.path.read_text())):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Failure(f"the server does not start: {self.log()}")
            time.sleep(0.05)
        self.address = found[1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure("the server does not stop after SIGTERM") from None

    def log(self):
        lines = self.path.read_text().splitlines()
        return " / ".join([line for line in lines if " INFO " not in line][-3:])[-600:]

    def text(self, path, form=None):
        data = None if form is None else json.dumps(form).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()
        except OSError as error:
            return json.dumps({"error": str(error)})

    def ask(self, path, form=None):
        return json.loads(self.text(path, form))
