// Links to a position, and the game saved across a reload. A link has the starting position and the moves in its fragment,
// which browsers do not send to the server.

import { cursor, gameForm, goTo, plies, standardStart, take } from "./game"
import type { Moves } from "./game"
import { agreedEnding, endBy, moveBothSides, players, setPlayer } from "./play"
import type { Player } from "./play"
import type { Ending } from "./words"
import type { Color, Issue } from "./api"

export function linkHere(): string {
    const { fen, moves } = gameForm()
    const words = new URLSearchParams()
    if (fen !== standardStart) words.set("fen", fen)
    if (moves.length > 0) words.set("moves", moves.join(" "))
    return `${location.origin}${location.pathname}#${words}`
}

/** Loads the game in the fragment of the page's URL, if there is one. Returns the issues of an illegal game. */
export async function takeLink(): Promise<Issue[]> {
    const words = new URLSearchParams(location.hash.slice(1))
    const [fen, moves] = [words.get("fen"), words.get("moves")]
    if (fen === null && moves === null) return []
    const issues = await take({ fen: fen ?? standardStart, moves: moves?.split(" ").filter(Boolean) ?? [] })
    if (issues.length === 0) moveBothSides()
    return issues
}

interface Kept {
    game: Moves
    cursor: number
    players: Record<Color, Player>
    ending: Ending | null
}

const keptAs = "game"

/** Saves the game in the session storage, for a reload of the tab. */
export function keepGame(): void {
    const kept: Kept = {
        game: gameForm(plies.value.length),
        cursor: cursor.value,
        players: players.value,
        ending: agreedEnding.value,
    }
    sessionStorage.setItem(keptAs, JSON.stringify(kept))
}

/** The game saved before a reload; null after a normal navigation. */
export const kept = keptBefore()

function keptBefore(): Kept | null {
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[]
    const words = sessionStorage.getItem(keptAs)
    return words && navigation?.type !== "navigate" ? (JSON.parse(words) as Kept) : null
}

/** Restores a saved game. */
export async function takeKept({ game, cursor, players, ending }: Kept): Promise<Issue[]> {
    const issues = await take(game)
    if (issues.length > 0) return issues
    if (ending) endBy(ending)
    goTo(cursor)
    setPlayer("white", players.white)
    setPlayer("black", players.black)
    return []
}
