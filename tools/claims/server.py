"""Runs a given server binary on a free port, and sends requests to it."""

import contextlib
import http.client
import json
import pathlib
import subprocess
import tempfile
import time
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_SECONDS = 30
CONFIG = """
[plugins]
policy = "configured"
# If only the tests were built, the libraries are in deps.
directories = ["{folder}/deps", "{folder}"]

[tablebases]
directories = ["{tables}"]

[ai.nnue1]
library = "ai_nnue1"
limit = {{ nodes = {nodes} }}
overridable_options = ["elo", "seed", "evaluation"]

[client.default]
ai = "nnue1"
"""


class Failure(Exception):
    """The reason why the run cannot continue."""


class Client:
    """Sends requests over one connection."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def post(self, path: str, body: dict[str, typing.Any]) -> dict[str, typing.Any]:
        headers = {"Content-Type": "application/json"}
        self.connection.request("POST", path, json.dumps(body), headers)
        response = self.connection.getresponse()
        text = response.read()
        if response.status != 200:
            raise Failure(f"{path} {json.dumps(body)}: {response.status} {text.decode()}")
        reply: dict[str, typing.Any] = json.loads(text)
        return reply


def wait_for_port(server: subprocess.Popen[bytes], folder: pathlib.Path) -> int:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        for line in (folder / "out").read_text().splitlines():
            if line.startswith("listening on "):
                return int(line.rpartition(":")[2])
        time.sleep(0.05)
    raise Failure(f"the server does not start\n{(folder / 'err').read_text()}")


@contextlib.contextmanager
def serving(rookery: pathlib.Path, tables: pathlib.Path, nodes: int) -> typing.Iterator[int]:
    """Serves nnue1 with the tables. Yields the port."""
    with tempfile.TemporaryDirectory(prefix="claims-") as name:
        folder = pathlib.Path(name)
        text = CONFIG.format(folder=rookery.resolve().parent, tables=tables.resolve(), nodes=nodes)
        (folder / "rookery.toml").write_text(text)
        command = [str(rookery), "serve", "--config", str(folder / "rookery.toml")]
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            server = subprocess.Popen([*command, "--listen", "127.0.0.1:0"], stdout=out, stderr=err)
        try:
            yield wait_for_port(server, folder)
        finally:
            server.terminate()
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.kill()
