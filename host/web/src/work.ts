// The user's work in a form that can be stored: the game with its scores, report, analyses and
// players, and the board editor.

import { computed, signal } from "@preact/signals"
import { analysesState, searches, setAnalyses } from "./analysis"
import type { AnalysesState } from "./analysis"
import type { Color } from "./api"
import { clocksState, restoreClocks, timeControl } from "./clocks"
import type { ClocksState } from "./clocks"
import { gameNumber, gameState, setGame, standardStart, startFen, tags, tree } from "./game"
import type { GameState } from "./game"
import { players, playersSettings } from "./players"
import type { Player, Settings } from "./players"
import { report, reportsById, reportState, setReport } from "./report"
import type { ReportState } from "./report"
import { knownScores, scoresState, setScores } from "./scores"
import type { ScoresState } from "./scores"
import { seeds } from "./seeds"
import { edited, editedFen, openEditor } from "./setup"
import { hasStarted, markStarted } from "./started"
import { switches } from "./switches"
import type { Place } from "./switches"
import { flipped } from "./view"

/** Where the work is stored. */
export interface SavedAs {
    id: string
    /**
     * The versions that this tab last stored or read. Any other stored version comes from another
     * tab.
     */
    versions: string[]
}

export interface Work {
    savedAs: SavedAs
    place: Place
    /** The id of the game that this is a copy of. */
    copyOf: string | null
    game: GameState
    /** Whether the game has started, even without moves. */
    hasStarted: boolean
    scores: ScoresState
    clocks: ClocksState
    report: ReportState
    analyses: AnalysesState
    players: Record<Color, Player>
    playersSettings: Record<Color, Settings>
    seeds: Record<Color, number>
    /** The position in the board editor. */
    setup: string | null
    isFlipped: boolean
}

/** `crypto.randomUUID` exists only in secure contexts. */
export const newKey = (): string => crypto.getRandomValues(new Uint32Array(3)).join("-")
export const newPlace = (): SavedAs => ({ id: newKey(), versions: [] })

/** The id of the game that the current work is a copy of. */
export const copyOf = signal<string | null>(null)
gameNumber.subscribe(() => (copyOf.value = null))

/** Where to store the work that will be restored next. */
let nextPlace: SavedAs | null = null
/**
 * Where the work is stored. Each game gets its own place at once, so that it does not overwrite the
 * previous game.
 */
export const savedAs = computed(() => {
    void gameNumber.value
    const place = nextPlace ?? newPlace()
    nextPlace = null
    return place
})

export const work = (): Work => ({
    savedAs: savedAs.value,
    place: switches.place.value,
    copyOf: copyOf.value,
    game: gameState(),
    hasStarted: hasStarted.value,
    scores: scoresState(),
    clocks: clocksState(),
    report: reportState(),
    analyses: analysesState(),
    players: players.value,
    playersSettings: playersSettings.value,
    seeds: seeds.value,
    setup: edited.value && editedFen.value,
    isFlipped: flipped.value,
})

/**
 * The stored objects, compared by identity, because each change creates a new object. A search is
 * included only once it has finished, because until then it changes several times a second.
 */
export const content = (): unknown[] => [
    startFen.value,
    tree.value,
    tags.value,
    knownScores.value,
    reportsById.value,
    report.value,
    players.value,
    playersSettings.value,
    timeControl.value,
    edited.value && editedFen.value,
    ...[...searches.value.values()].filter(({ done }) => done),
]

/** Whether the work contains nothing to lose. */
export const isEmpty = ({ game, setup }: Work): boolean => {
    const [root] = game.nodes
    return (
        setup === null &&
        game.start === standardStart &&
        game.nodes.length === 1 &&
        !root?.comment &&
        !root?.shapes?.length
    )
}

/** Whether work is being restored, which does not count as a change. */
export const isRestoring = signal(false)

/** Restores a game at its place in the storage. This does not change the game. */
export function restoreAt(place: SavedAs, restore: () => void): void {
    isRestoring.value = true
    nextPlace = place
    restore()
    // Read once, to assign the place to this game.
    void savedAs.value
    isRestoring.value = false
}

/**
 * Replaces the work. The parts are not restored in one batch, because starting a game clears the
 * state of the previous one.
 */
export function setWork(next: Work): void {
    restoreAt(next.savedAs, () => restoreParts(next))
}

function restoreParts(next: Work): void {
    setGame(next.game)
    markStarted(next.hasStarted)
    copyOf.value = next.copyOf ?? null
    setScores(next.scores)
    setReport(next.report)
    setAnalyses(next.analyses)
    // Restored before the players, because an AI that is to move is asked at once.
    restoreClocks(next.clocks)
    seeds.value = next.seeds
    playersSettings.value = next.playersSettings
    players.value = next.players
    flipped.value = next.isFlipped
    if (next.setup === null) edited.value = null
    else openEditor(next.setup)
}
