// The link to a position: first position and moves stand behind the `#`, so that no server sees them in its log.

import { gameForm, standardStart, take } from "./game"
import type { Issue } from "./api"

export function linkHere(): string {
    const { fen, moves } = gameForm()
    const words = new URLSearchParams()
    if (fen !== standardStart) words.set("fen", fen)
    if (moves.length > 0) words.set("moves", moves.join(" "))
    return `${location.origin}${location.pathname}#${words}`
}

/** Takes over the position that the page's address names, if it names one. */
export async function takeLink(): Promise<Issue[]> {
    const words = new URLSearchParams(location.hash.slice(1))
    const [fen, moves] = [words.get("fen"), words.get("moves")]
    if (fen === null && moves === null) return []
    return take({ fen: fen ?? standardStart, moves: moves?.split(" ").filter(Boolean) ?? [] })
}
