"""Checks for `make test-api` beyond schemathesis's own: which valid requests are rejected, and
the records of streams."""

import json
import re
import zlib

import jsonschema_rs
import schemathesis
from schemathesis.generation import GenerationMode

STREAM = "application/x-ndjson"
# Fields that no schema fully describes: text with a grammar, and AI options (see `/v1/ais`).
FREE = re.compile(
    r"/game/(any|epd|html|pgn|svg|text|xfen)|/move|/options/.*|/players/\d+|/openings/\d+.*"
)
# The calls from 2014 have this prefix. They reject an illegal game with status 400.
LEGACY = "/api/"


@schemathesis.check
def valid_requests_are_accepted(ctx, response, case):
    """A request that its schema allows may be malformed only where no schema can tell."""
    if (
        response.status_code != 400
        or case.meta is None
        or case.meta.generation.mode != GenerationMode.POSITIVE
    ):
        return
    problem = response.json()
    if problem["code"] == "illegal_game" and case.path.startswith(LEGACY):
        return
    if has_integral_float(case.body):
        return
    pointer = problem.get("pointer", "")
    assert FREE.fullmatch(pointer), (
        f"a valid request was rejected at '{pointer}': {problem['detail']}"
    )


def has_integral_float(value):
    """JSON Schema treats 1.0 as an integer. The server does not."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(map(has_integral_float, value))
    return isinstance(value, float) and value.is_integer()


def stream_schema(case):
    """Returns the schema of a stream's records, if the call has one."""
    reply = case.operation.definition.raw["responses"].get("200", {})
    return reply.get("content", {}).get(STREAM, {}).get("schema")


@schemathesis.hook
def filter_case(context, case):
    """A batch has an error for each game, so one wrong game does not reject the others."""
    is_wrong = case.meta is not None and case.meta.generation.mode == GenerationMode.NEGATIVE
    return not (
        is_wrong
        and case.path.startswith("/v1/batch/")
        and isinstance(case.body, dict)
        and case.body.get("games")
    )


@schemathesis.hook
def before_call(context, case, kwargs):
    """Asks for a stream in every second request that may have one. The arena's stream does not
    end."""
    if case.path == "/v1/arena/live" or stream_schema(case) is None:
        return
    if zlib.crc32(repr(case.body).encode()) % 2 == 0:
        case.headers["Accept"] = STREAM


@schemathesis.check
def stream_records_match(ctx, response, case):
    """Each record matches its schema. Only the last one is a result or an error."""
    if STREAM not in response.headers.get("content-type", [""])[0]:
        return
    document = case.operation.schema.raw_schema
    schema = {**stream_schema(case), "components": document["components"]}
    validator = jsonschema_rs.validator_for(schema)
    records = [json.loads(line) for line in response.text.splitlines()]
    for record in records:
        validator.validate(record)
    ends = [record["type"] in ("result", "error") for record in records]
    assert ends == [False] * (len(records) - 1) + [True], [record["type"] for record in records]
