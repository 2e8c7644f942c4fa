// Links to games. The URL fragment contains the complete game, or the number of an arena game.
// Browsers do not send it to the server.

import { call, Problem } from "./api"
import type { GameForm, Issue } from "./api"
import { isolated } from "./bidi"
import { gamePgn } from "./export"
import { cursor, gameForm, goTo, line, plies, standardStart, tags, tree } from "./game"
import { loadGame } from "./import"
import { userPlaysBoth } from "./players"
import { texts } from "./texts/board"
import { isMain } from "./tree"

/** Chat and mail programs keep links of this length intact. */
const maxLinkBytes = 8192
/** A game in a link may be as large as a request. */
const maxGameBytes = 1 << 20

/** Whether the game consists only of the current line. */
const isPlain = () =>
    userPlaysBoth.peek() &&
    Object.keys(tags.peek()).length === 0 &&
    tree.peek().size === line.peek().length &&
    [...tree.peek().values()].every(
        (node) => !node.comment && !node.nags?.length && !node.shapes?.length && !node.result,
    )

/**
 * Returns a link that opens the complete game at the current position.
 *
 * # Errors
 * The game is too long for a link. The message of the `Error` is for the user.
 */
export async function gameLink(): Promise<string> {
    const params = new URLSearchParams()
    const [at, count] = [cursor.peek(), plies.peek().length]
    if (isPlain()) {
        const { fen, moves } = gameForm(count)
        if (fen !== standardStart) params.set("fen", fen)
        if (moves.length > 0) params.set("moves", moves.join(" "))
        if (at < count) params.set("ply", String(at))
    } else {
        params.set("game", await packed(gamePgn()))
        const here = line.peek()[at]
        if (here !== undefined && isMain(tree.peek(), here)) params.set("ply", String(at))
    }
    const link = `${location.origin}${location.pathname}#${params}`
    if (link.length <= maxLinkBytes) return link
    throw new Error(texts.positions.longLink(Math.ceil(link.length / 1024), maxLinkBytes / 1024))
}

/** Compresses text into characters that are safe in URLs. */
async function packed(text: string): Promise<string> {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
    const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    return letters.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")
}

/** Reverses `packed`. A few characters may expand to a huge string. */
async function unpacked(letters: string): Promise<string> {
    const bytes = Uint8Array.from(atob(letters.replace(/-/g, "+").replace(/_/g, "/")), (letter) =>
        letter.charCodeAt(0),
    )
    const reader = new Blob([bytes])
        .stream()
        .pipeThrough(new DecompressionStream("deflate-raw"))
        .getReader()
    const chunks: Uint8Array<ArrayBuffer>[] = []
    for (let size = 0; ;) {
        const { done, value } = await reader.read()
        if (done) return new Blob(chunks).text()
        size += value.length
        if (size > maxGameBytes) throw new Error(`more than ${maxGameBytes} bytes`)
        chunks.push(value)
    }
}

const damaged = (): Issue => ({
    code: "damaged_link",
    message: texts.positions.damagedLink,
    pointer: "",
})

/**
 * Loads the game in the URL fragment, if there is one. Returns the issues of a game that cannot be
 * loaded.
 */
export async function loadLink(): Promise<Issue[]> {
    const params = new URLSearchParams(location.hash.slice(1))
    try {
        const form = await formOf(params)
        if (form === null) return []
        const { issues } = await loadGame(form)
        if (issues.length > 0) return issues
        const ply = params.get("ply")
        if (ply !== null) goTo(Number(ply) || 0)
        return []
    } catch (error) {
        if (!(error instanceof Problem)) return [damaged()]
        const { code, detail } = error.body
        const arena = params.get("arena")
        const message =
            arena !== null && code === "not_found"
                ? texts.positions.noArenaGame(isolated(arena))
                : detail
        return [{ code, message, pointer: "" }]
    }
}

async function formOf(params: URLSearchParams): Promise<GameForm | null> {
    const [fen, moves, game, arena] = ["fen", "moves", "game", "arena"].map((name) =>
        params.get(name),
    )
    if (game) return { pgn: await unpacked(game) }
    if (arena)
        return {
            pgn: (await call<{ pgn: string }>(`/v1/arena/games/${encodeURIComponent(arena)}`)).pgn,
        }
    return fen === null && moves === null
        ? null
        : { fen: fen ?? standardStart, moves: moves?.split(" ").filter(Boolean) ?? [] }
}
