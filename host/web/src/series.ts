// A series of games between two AIs: openings, colours, score and Elo.

import { batch, computed, effect, signal, untracked } from "@preact/signals"
import type { Color } from "./api"
import { gamePgn, gameTags } from "./export"
import { collection, loadedIndex } from "./files"
import { gameNumber, isOver, opposite, result, standardStart } from "./game"
import { loadGame } from "./import"
import { matchRunning, setPlayer, startMatch } from "./play"
import { players, playersSettings, setSettings } from "./players"
import type { Player, Settings } from "./players"
import { switches } from "./switches"

/** Each opening is played twice, with colours reversed; without them the same AIs would repeat their game. */
const openings = [
    "e2e4 e7e5", "d2d4 d7d5", "e2e4 c7c5", "d2d4 g8f6", "c2c4 e7e5", "e2e4 e7e6", "g1f3 d7d5", "e2e4 c7c6",
    "d2d4 f7f5", "e2e4 d7d5", "c2c4 c7c5", "b2b3 e7e5", "e2e4 g8f6", "d2d4 e7e6", "f2f4 d7d5", "e2e4 d7d6",
].map((moves) => moves.split(" "))

interface SeriesPlayer {
    player: Player
    settings: Settings
}

interface Series {
    first: SeriesPlayer
    second: SeriesPlayer
    length: number
    /** The points of the first AI, by game. */
    points: readonly number[]
    /** The game in progress. */
    game: number
    /** The last game that was counted. */
    counted: number
}

export const series = signal<Series | null>(null)
export const { seriesLength } = switches

/** Whether the current game belongs to an unfinished series. */
export const isSeriesGame = computed(() => series.value !== null && series.value.game === gameNumber.value && series.value.points.length < series.value.length)

const seriesPlayer = (color: Color): SeriesPlayer => ({ player: players.value[color], settings: playersSettings.value[color] })

export async function startSeries(): Promise<void> {
    collection.value = []
    loadedIndex.value = null
    series.value = { first: seriesPlayer("white"), second: seriesPlayer("black"), length: seriesLength.value, points: [], game: -1, counted: -1 }
    await nextGame()
}

async function nextGame(): Promise<void> {
    const now = series.peek()
    if (!now) return
    const index = now.points.length
    await loadGame({ fen: standardStart, moves: openings[Math.floor(index / 2) % openings.length] ?? [] })
    const white: Color = index % 2 === 0 ? "white" : "black"
    batch(() => {
        for (const [color, { player, settings }] of [[white, now.first], [opposite(white), now.second]] as const) {
            setPlayer(color, player)
            setSettings(color, settings)
        }
        series.value = { ...now, game: gameNumber.peek() }
        startMatch()
    })
}

/** Counts a finished game and starts the next one. */
effect(() => {
    if (!isSeriesGame.value || !isOver.value || result.value === null) return
    // The host confirms a result after the move that led to it.
    if (series.value?.counted === gameNumber.value) return
    const { winner } = result.value
    untracked(() => {
        const now = series.value
        if (!now) return
        const first: Color = now.points.length % 2 === 0 ? "white" : "black"
        const points = [...now.points, winner === null ? 0.5 : winner === first ? 1 : 0]
        collection.value = [...collection.value, { text: gamePgn(), tags: gameTags() }]
        series.value = { ...now, points, counted: now.game }
        matchRunning.value = false
        if (points.length < now.length) void nextGame()
    })
})

/** Returns the Elo difference of a score with its error at 95 %; null where all games were won or lost. */
export function elo(points: readonly number[]): { difference: number; error: number } | null {
    const mean = points.reduce((sum, point) => sum + point, 0) / points.length
    if (!(mean > 0 && mean < 1)) return null
    const difference = (score: number) => -400 * Math.log10(1 / score - 1)
    const variance = points.reduce((sum, point) => sum + (point - mean) ** 2, 0) / points.length
    const margin = 1.96 * Math.sqrt(variance / points.length)
    const [low, high] = [Math.max(0.001, mean - margin), Math.min(0.999, mean + margin)]
    return { difference: difference(mean), error: (difference(high) - difference(low)) / 2 }
}
