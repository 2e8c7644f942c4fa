// Streams a search from a Rookery server. Works in Node and browsers without packages.
//
//     node docs/examples/stream.mjs http://127.0.0.1:8080

const server = process.argv[2] ?? "http://127.0.0.1:8080"

/** Yields the records of a stream: a `start`, some `info`, and finally a `result` or `error`. */
async function* search(request) {
    const response = await fetch(`${server}/v1/best-move`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/x-ndjson" },
        body: JSON.stringify(request),
    })
    if (!response.ok) {
        // The server rejected the request. The problem's `code` is stable, and its `detail` is for people.
        const problem = await response.json()
        throw new Error(`${problem.code}: ${problem.detail}`)
    }
    let text = ""
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
        text += part
        const lines = text.split("\n")
        text = lines.pop()
        for (const line of lines) if (line) yield JSON.parse(line)
    }
}

const game = { pgn: "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 *" }
for await (const record of search({ game, limit: { depth: 4 } })) {
    if (record.type === "info") console.log(`depth ${record.depth}: ${record.san.join(" ")}`)
    // The server sends at most ten `info` records a second. The result contains the last iteration.
    if (record.type === "result") console.log(`depth ${record.search.depth}: ${record.search.san.join(" ")}`)
    if (record.type === "result") console.log(`plays ${record.move.san}: ${record.game.status.reason ?? "the game goes on"}`)
    if (record.type === "error") throw new Error(`${record.code}: ${record.detail}`)
}

await search({ game: { moves: ["e2e5"] } }).next().catch((error) => console.log(error.message))
