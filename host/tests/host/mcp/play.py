"""Plays a game over the Model Context Protocol: play.py URL, or play.py COMMAND ARGUMENT..."""

import asyncio
import sys

from mcp import Client, StdioServerParameters

LIMIT = {"depth": 2}


def text(result):
    return result.content[0].text


async def play(client):
    tools = await client.list_tools()
    print("tools:", ", ".join(tool.name for tool in tools.tools))
    moves = []
    for wish in ["e2e5", "b1c3", "g1f3", "a1a5"]:
        legal = await client.call_tool("legal_moves", {"game": {"moves": moves}})
        known = [move["uci"] for move in legal.structured_content["moves"]]
        if wish not in known:
            wrong = await client.call_tool("validate_game", {"game": {"moves": [*moves, wish]}})
            assert wrong.is_error, wrong
            print(f"you try {wish}:", text(wrong).splitlines()[0])
            wish = known[0]
        moves.append(wish)
        reply = await client.call_tool("best_move", {"game": {"moves": moves}, "limit": LIMIT})
        assert not reply.is_error, text(reply)
        moves = reply.structured_content["game"]["moves"]
        print(f"you play {wish};", text(reply))
        if reply.structured_content["game"]["status"]["state"] != "in_progress":
            break
    report = await client.call_tool("report", {"game": {"moves": moves}, "limit": LIMIT})
    print("report:", text(report))
    picture = next(part for part in report.content if part.type == "resource_link")
    drawn = await client.read_resource(picture.uri)
    assert drawn.contents[0].text.startswith("<svg "), drawn
    print(f"played {len(moves)} half-moves")


async def main(target):
    is_url = target[0].startswith("http")
    server = target[0] if is_url else StdioServerParameters(command=target[0], args=target[1:])
    async with Client(server) as client:
        await play(client)


asyncio.run(main(sys.argv[1:]))
