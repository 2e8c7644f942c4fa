// Stubbed `/v1/best-move` searches with results from the test.

/** Stubs a page's searches before it loads. */
export const stubSearches = (tab) =>
    tab.addInitScript(() => {
        const { fetch } = window
        window.asked = []
        let send = () => undefined
        window.fetch = async (path, request = {}) => {
            if (!String(path).endsWith("/v1/best-move")) return fetch(path, request)
            const body = JSON.parse(request.body)
            const search = { lines: body.lines ?? 1, moves: body.game.moves, isAborted: false }
            window.asked.push(search)
            const stream = new ReadableStream({
                start(controller) {
                    const encoder = new TextEncoder()
                    const { signal } = request
                    const abort = () => {
                        search.isAborted = true
                        controller.error(signal.reason)
                    }
                    signal.addEventListener("abort", abort)
                    send = (record) => {
                        controller.enqueue(encoder.encode(`${JSON.stringify(record)}\n`))
                        if (record.type !== "result") return
                        signal.removeEventListener("abort", abort)
                        controller.close()
                    }
                },
            })
            return new Response(stream, { headers: { "Content-Type": "application/x-ndjson" } })
        }
        const figuresOf = ({ depth, cp, lines = [["e2e4", "e4"]] }) => {
            const found = lines.map((moves, index) => ({
                depth,
                score: { cp: cp - index },
                pv: moves.filter((_, at) => at % 2 === 0),
                san: moves.filter((_, at) => at % 2 === 1),
            }))
            return { ...found[0], nodes: 1000, nps: 1000, time_ms: 1000, lines: found }
        }
        window.find = (found) => send({ type: "info", ...figuresOf(found) })
        window.answer = (found) => {
            const search = { ...figuresOf(found), stopped_by: found.end ?? "movetime" }
            const { score } = search
            send({ type: "result", move: {}, score, game: {}, search, ai: { id: "basic1" } })
        }
    })
