// The call, the command, the assistants' tool and the page make the same claims about a move.

import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { currentServer, scenario, until, withServer } from "./browser.js"
import { review } from "./review.js"
import { program } from "./server.js"
import { moduleOf } from "./sources.js"

withServer({ clients: '[client.default]\nai = "basic1"\n[mcp]\nenabled = true\n' })

const moves = "e2e4 e7e5 d1h5 g7g6 g1f3 g6h5 f3e5 d8g5 d2d4 g5c1"
const request = { game: { moves: moves.split(" ") }, ai: "basic1", limit: { depth: 3 } }

async function post(path, body, headers = {}) {
    const reply = await fetch(`${currentServer().address}${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify(body),
    })
    assert.equal(reply.status, 200, await reply.clone().text())
    return reply.json()
}

async function reportOfTool() {
    const { result } = await post(
        "/mcp",
        {
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "report", arguments: request },
        },
        { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" },
    )
    return result
}

function reportOfCommand(...further) {
    const { config } = currentServer()
    const limits = ["--config", config, "--ai", "basic1", "--depth", "3"]
    const { stdout, stderr, status } = spawnSync(program, ["report", "-", ...limits, ...further], {
        input: request.game.moves.join(" "),
        encoding: "utf8",
    })
    assert.equal(status, 0, stderr)
    return stdout
}

/** Returns the claim commands in a PGN and the sentences after them, in order. */
const saidIn = (pgn) =>
    [...pgn.replaceAll("\n", " ").matchAll(/\{([^}]*)\}/g)].map(([, comment]) => ({
        commands: comment.match(/\[%why [^\]]*\]/g) ?? [],
        sentences: comment.replace(/\[%[^\]]*\]/g, "").trim(),
    }))

/** Returns the moves in a PGN with their annotations. */
const movesOf = (pgn) =>
    pgn
        .replace(/^\[\w+ ".*\n/gm, "")
        .trim()
        .replaceAll(/\s+/g, " ")

scenario(
    "page, PGN, command, call and tool make the same claims about each move",
    { path: `/#moves=${moves}` },
    async (page, tab) => {
        const { claimCommand, claimSentence, claimText } = await moduleOf("claims.ts")
        const english = (await moduleOf("texts/en/board.ts")).board.claims
        const report = await post("/v1/report", request)
        const claims = report.moves.map((move) => move.claims)
        assert.ok(claims.flat().length >= 6, JSON.stringify(claims))

        const { structuredContent, content } = await reportOfTool()
        assert.deepEqual(
            structuredContent.moves.map((move) => move.claims),
            claims,
        )
        const bad = report.moves.filter((move) => move.judgement)
        for (const { text } of bad.flatMap((move) => move.claims))
            assert.ok(content[0].text.includes(`It ${text}`), `${text} in ${content[0].text}`)

        const [json] = reportOfCommand("--json").split("\n")
        assert.deepEqual(
            JSON.parse(json).moves.map((move) => move.claims),
            claims,
        )
        const table = reportOfCommand()
        for (const { text } of claims.flat()) assert.ok(table.includes(text), `${text}\n${table}`)

        const said = claims.map((list) => ({
            commands: list.map(claimCommand),
            sentences: list.map(claimSentence).join(" "),
        }))
        assert.deepEqual(saidIn(reportOfCommand("--pgn")), said)

        await page.plays(10)
        await review(page, tab, 3, "basic1")
        for (const { text } of bad.flatMap((move) => move.claims))
            await tab.locator(".bad-moves .claim").filter({ hasText: text }).first().waitFor()
        await page.open("Position")
        await page.button("PGN").click()
        const pgn = () => tab.getByRole("textbox", { name: "PGN", exact: true }).inputValue()
        await until(async () => (await pgn()).includes("[%why"), "the PGN has claims", pgn)
        assert.deepEqual(saidIn(await pgn()), said)
        assert.equal(movesOf(await pgn()), movesOf(reportOfCommand("--pgn")))
        assert.match(movesOf(await pgn()), /\$[246] \{.*?\} \(\d/)
        for (const claim of claims.flat()) assert.equal(claimText(claim, english), claim.text)
    },
)
