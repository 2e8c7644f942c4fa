// Links to a position and to games of the arena. A link has the starting position and the moves in its fragment, which browsers do not
// send to the server, or the number of the game.

import { call, Problem } from "./api"
import type { GameForm, Issue } from "./api"
import { gameForm, standardStart } from "./game"
import { loadGame } from "./import"
import { setUserForBoth } from "./play"

export function positionLink(): string {
    const { fen, moves } = gameForm()
    const params = new URLSearchParams()
    if (fen !== standardStart) params.set("fen", fen)
    if (moves.length > 0) params.set("moves", moves.join(" "))
    return `${location.origin}${location.pathname}#${params}`
}

/** Loads the game that the fragment of the page's URL has or names, if there is one. Returns the issues of a game that is not loaded. */
export async function loadLink(): Promise<Issue[]> {
    const params = new URLSearchParams(location.hash.slice(1))
    const [fen, moves, arena] = [params.get("fen"), params.get("moves"), params.get("arena")]
    if (fen === null && moves === null && arena === null) return []
    try {
        const form = arena === null ? { fen: fen ?? standardStart, moves: moves?.split(" ").filter(Boolean) ?? [] } : await arenaGame(arena)
        const { issues } = await loadGame(form)
        if (issues.length === 0) setUserForBoth()
        return issues
    } catch (error) {
        if (!(error instanceof Problem)) throw error
        return [{ code: error.body.code, message: error.body.detail, pointer: "" }]
    }
}

/** Requests a game of the arena by its number. */
async function arenaGame(id: string): Promise<GameForm> {
    const { pgn } = await call<{ pgn: string }>(`/v1/arena/games/${encodeURIComponent(id)}`)
    return { pgn }
}
