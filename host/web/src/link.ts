// Links to a position. A link has the starting position and the moves in its fragment, which browsers do not send to the server.

import { gameForm, standardStart } from "./game"
import { loadGame } from "./import"
import { setUserForBoth } from "./play"
import type { Issue } from "./api"

export function positionLink(): string {
    const { fen, moves } = gameForm()
    const params = new URLSearchParams()
    if (fen !== standardStart) params.set("fen", fen)
    if (moves.length > 0) params.set("moves", moves.join(" "))
    return `${location.origin}${location.pathname}#${params}`
}

/** Loads the game in the fragment of the page's URL, if there is one. Returns the issues of an illegal game. */
export async function loadLink(): Promise<Issue[]> {
    const params = new URLSearchParams(location.hash.slice(1))
    const [fen, moves] = [params.get("fen"), params.get("moves")]
    if (fen === null && moves === null) return []
    const { issues } = await loadGame({ fen: fen ?? standardStart, moves: moves?.split(" ").filter(Boolean) ?? [] })
    if (issues.length === 0) setUserForBoth()
    return issues
}
