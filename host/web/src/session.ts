// The state of the page across a reload of its tab: the game, its report, the players, the view and the switches.

import { aiIds } from "./ais"
import type { Color } from "./api"
import { clocksState, restoreClocks } from "./clocks"
import type { ClocksState } from "./clocks"
import { gameState, plies, setGame } from "./game"
import type { GameState } from "./game"
import { matchDelayMs } from "./play"
import { players, playersSettings } from "./players"
import type { Player, Settings } from "./players"
import { reportState, setReport } from "./report"
import type { ReportState } from "./report"
import { scoresState, setScores } from "./scores"
import type { ScoresState } from "./scores"
import { seeds } from "./seeds"
import { switches } from "./switches"
import { flipped } from "./view"

interface Session {
    game: GameState
    scores: ScoresState
    clocks: ClocksState
    report: ReportState
    players: Record<Color, Player>
    playersSettings: Record<Color, Settings>
    seeds: Record<Color, number>
    matchDelayMs: number
    isFlipped: boolean
    switches: Record<string, unknown>
}

/** The number increases with each change of the data, so that a new version of the page does not read the data of an old one. */
const storageKey = "session-3"

/** Saves the state in the session storage, for a reload of the tab. */
export function saveSession(): void {
    // A new game has no opponent until the AIs are known, and must not come back without one.
    if (!savedSession && aiIds.value.length === 0 && plies.value.length === 0) return sessionStorage.removeItem(storageKey)
    const session: Session = {
        game: gameState(),
        scores: scoresState(),
        clocks: clocksState(),
        report: reportState(),
        players: players.value,
        playersSettings: playersSettings.value,
        seeds: seeds.value,
        matchDelayMs: matchDelayMs.value,
        isFlipped: flipped.value,
        switches: Object.fromEntries(Object.entries(switches).map(([name, value]) => [name, value.value])),
    }
    try {
        sessionStorage.setItem(storageKey, JSON.stringify(session))
    } catch {
        // A huge game exceeds the quota; a page reload then begins a new game.
        sessionStorage.removeItem(storageKey)
    }
}

/** The state saved before a reload; null after a normal navigation. */
export const savedSession = readSession()

function readSession(): Session | null {
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[]
    const json = sessionStorage.getItem(storageKey)
    if (!json || navigation?.type === "navigate") return null
    try {
        return JSON.parse(json) as Session
    } catch {
        return null
    }
}

/** Restores a saved state. Not in one batch: the start of a game clears what belongs to the game before. */
export function restoreSession(session: Session): void {
    setGame(session.game)
    setScores(session.scores)
    setReport(session.report)
    // Before the players, since an AI to move is asked at once.
    restoreClocks(session.clocks)
    seeds.value = session.seeds
    playersSettings.value = session.playersSettings
    players.value = session.players
    matchDelayMs.value = session.matchDelayMs
    flipped.value = session.isFlipped
    for (const [name, value] of Object.entries(switches)) {
        const saved = session.switches[name]
        if (saved !== undefined) (value as { value: unknown }).value = saved
    }
}
