// Links to a position, and the game saved across a reload. A link has the starting position and the moves in its fragment,
// which browsers do not send to the server.

import { cursor, gameForm, goTo, loadGame, plies, standardStart } from "./game"
import type { Moves } from "./game"
import { declaredResult, endGame, players, setPlayer, setUserForBoth } from "./play"
import type { Player } from "./play"
import type { GameResult } from "./format"
import type { Color, Issue } from "./api"

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
    const issues = await loadGame({ fen: fen ?? standardStart, moves: moves?.split(" ").filter(Boolean) ?? [] })
    if (issues.length === 0) setUserForBoth()
    return issues
}

interface SavedGame {
    game: Moves
    cursor: number
    players: Record<Color, Player>
    result: GameResult | null
}

const storageKey = "game"

/** Saves the game in the session storage, for a reload of the tab. */
export function saveGame(): void {
    const savedGame: SavedGame = {
        game: gameForm(plies.value.length),
        cursor: cursor.value,
        players: players.value,
        result: declaredResult.value,
    }
    sessionStorage.setItem(storageKey, JSON.stringify(savedGame))
}

/** The game saved before a reload; null after a normal navigation. */
export const savedGame = readSavedGame()

function readSavedGame(): SavedGame | null {
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[]
    const json = sessionStorage.getItem(storageKey)
    return json && navigation?.type !== "navigate" ? (JSON.parse(json) as SavedGame) : null
}

/** Restores a saved game. */
export async function restoreGame({ game, cursor, players, result }: SavedGame): Promise<Issue[]> {
    const issues = await loadGame(game)
    if (issues.length > 0) return issues
    if (result) endGame(result)
    goTo(cursor)
    setPlayer("white", players.white)
    setPlayer("black", players.black)
    return []
}
