// A match between two AIs that the server plays: start, progress, finished games and end.

import { batch, computed, signal } from "@preact/signals"
import { ais, aiName } from "./ais"
import { findMatch, followMatch, matchGames, Problem, startMatch, stopMatch } from "./api"
import type { Color, GameForm, Match, StreamRecord } from "./api"
import { controlText, timeControl } from "./clocks"
import { download } from "./download"
import { collection, gamesOf, loadedIndex, loadFromCollection } from "./files"
import type { FileGame } from "./files"
import { errorMessage } from "./format"
import { gameForm, isOver, plies } from "./game"
import { seatName } from "./match-names"
import type { Seats } from "./match-names"
import { draw, onGameRecord, setSeats } from "./match-board"
import { optionsOf } from "./options"
import { trackPending } from "./pending"
import { matchRunning } from "./play"
import { aiOf, isAiMatch, playersSettings } from "./players"
import { isDecided, sprtOf } from "./sprt"
import type { Bounds } from "./sprt"
import { coalesced } from "./repeat"
import { local } from "./storage"
import { switches } from "./switches"
import { texts } from "./texts/board"
import { common } from "./texts/common"

const { followsMatch, gameCount } = switches

/** The last match that this browser started; null if it is forgotten. */
export const match = signal<Match | null>(null)
/** Whether the match is still running. */
export const isOpen = computed(
    () => match.value !== null && !["finished", "stopped", "failed"].includes(match.value.state),
)
/** Whether the board shows the running game. */
export const isFollowing = computed(() => isOpen.value && followsMatch.value)
/**
 * Whether the user is choosing the players of the next game. A game keeps its players, so new
 * players require a new game.
 */
export const isChoosingPlayers = computed(
    () =>
        switches.place.value === "watch" &&
        match.value === null &&
        !(isAiMatch.value && (plies.value.length > 0 || matchRunning.value || isOver.value)),
)
export const matchError = signal<string | null>(null)

/** Where the games start: from the server's openings, the board, or a file. */
export const openings = signal<"varied" | "board" | "file">("varied")
/** The bounds of the test that ends the next match; null if no test ends it. */
export const chosenBounds = signal<Bounds | null>(null)
/** The bounds of the test that ends this match. */
export const bounds = signal<Bounds | null>(null)
/** Whether the opened file has games to start from. */
export const hasOpenedGames = computed(
    () => collection.value.length > 0 && collection.value !== listed.value,
)

/** The limits that a player's text can contain. */
const limitsOfPlayers = ["depth", "nodes", "movetime_ms"]
/**
 * Each player has its own limit, so the match gets one that is never reached. By default, the
 * server would stop each move after 100 ms.
 */
const noLimit = { nodes: 1e12 }

/** An AI's settings for a side, as in requests for its moves. */
function seatOf(color: Color) {
    const ai = aiOf(color) ?? ""
    const settings = playersSettings.value[color]
    const known = ais.value.find(({ id }) => id === ai)
    const limit: object = settings.limit ?? (timeControl.value ? {} : (known?.limit.default ?? {}))
    return {
        ai,
        settings,
        limit,
        options: { ...optionsOf(ai), ...settings.options },
        known: Object.keys(known?.options.properties ?? {}),
    }
}
type Seat = ReturnType<typeof seatOf>

/** Returns a player in the server's notation: `basic1,quiescence=false,depth=3`. */
const playerText = ({ ai, options, limit }: Seat): string =>
    [
        ai,
        ...Object.entries({ ...options, ...limit }).map(([name, value]) => `${name}=${value}`),
    ].join(",")

/** Returns why the notation cannot express a player's settings. */
function obstacles({ ai, options, limit, known }: Seat): string[] {
    const kinds = Object.keys(limit).filter(
        (kind) => !limitsOfPlayers.includes(kind) || known.includes(kind),
    )
    const names = Object.entries(options).flatMap(([name, value]) =>
        /,|^\s|\s$/.test(String(value)) ? name : [],
    )
    return [
        ...kinds.map((kind) => texts.match.limitObstacle(aiName(ai), kind)),
        ...names.map((name) => texts.match.optionObstacle(name, aiName(ai))),
    ]
}

const storageKey = "match"
/** The match state that survives a reload. */
interface Stored {
    id: string
    seats: Seats
    bounds?: Bounds | null
}

/** The maximum number of openings in a match. */
const maxOpenings = 500

async function chosenOpenings(): Promise<{ openings?: GameForm[] }> {
    if (openings.value === "board") return { openings: [gameForm()] }
    if (openings.value === "varied" || !hasOpenedGames.value) return {}
    const opened = collection.value.slice(0, maxOpenings)
    return { openings: await Promise.all(opened.map(async (game) => ({ pgn: await game.text() }))) }
}

/** Asks the server to play the games. */
export const startGames = (): Promise<void> =>
    trackPending(async () => {
        const [white, black] = [seatOf("white"), seatOf("black")]
        const [found = null] = [white, black].flatMap(obstacles)
        matchError.value = found
        if (found !== null) return
        const control = timeControl.value
        const pace = control ? { time_control: controlText(control) } : { limit: noLimit }
        // `crypto.randomUUID` exists only in secure contexts.
        const key = crypto.getRandomValues(new Uint32Array(4)).join("-")
        try {
            const started = await startMatch(
                {
                    players: [playerText(white), playerText(black)],
                    games: gameCount.value,
                    ...pace,
                    ...(await chosenOpenings()),
                },
                key,
            )
            const [first, second] = started.players
            const stored: Stored = {
                id: started.id,
                seats: { [first]: white.settings, [second]: black.settings },
                bounds: chosenBounds.value,
            }
            local.set(storageKey, JSON.stringify(stored))
            batch(() => {
                if (!hasOpenedGames.value) collection.value = []
                listed.value = []
                loadedIndex.value = null
                followsMatch.value = true
                watch(started, stored)
            })
        } catch (error) {
            showError(error)
        }
    })

/**
 * Shows an error. A match that the server no longer knows is over, for example after a restart
 * without an arena.
 */
function showError(error: unknown): void {
    matchError.value = errorMessage(common.theServer, error)
    if (isUnknown(error)) forget()
}

const isUnknown = (error: unknown) => error instanceof Problem && error.body.status === 404

/** Forgets a match that is over. */
export function forget(): void {
    match.value = null
    local.remove(storageKey)
}

/** Resumes the last match after a reload. */
export async function resumeMatch(): Promise<void> {
    try {
        const stored = JSON.parse(local.get(storageKey) ?? "null") as Stored
        const found = await findMatch(stored.id)
        if (match.value) return
        watch(found, stored)
    } catch (error) {
        // The user may have started another match by now.
        if (!match.value && (!(error instanceof Problem) || isUnknown(error))) forget()
    }
}

/** The finished games that have loaded, as a collection. */
const listed = signal<readonly FileGame[]>([])

function watch(found: Match, { seats, bounds: wanted = null }: Stored): void {
    match.value = found
    bounds.value = wanted
    setSeats(seats)
    const isCurrent = () => match.value?.id === found.id
    followMatch(found.id, (record) => {
        if (!isCurrent()) return
        if (record.type === "progress") update(record)
        else {
            if (record.type === "game") addResult(record)
            onGameRecord(record)
        }
    }).then(
        (ended) => isCurrent() && update(ended),
        (error: unknown) => isCurrent() && showError(error),
    )
}

/** Adds a finished game. A reconnected stream repeats all games. */
function addResult({ game, result, termination, white }: GameRecord): void {
    const now = match.value
    if (!now || now.results.some((known) => known.game === game)) return
    match.value = { ...now, results: [...now.results, { game, result, termination, white }] }
}
type GameRecord = Extract<StreamRecord<Match>, { type: "game" }>

function update(progress: Partial<Match>): void {
    if (!match.value) return
    match.value = { ...match.value, ...progress }
    if (listed.value.length !== match.value.played) listGames()
    const test = isOpen.value && bounds.value ? sprtOf(match.value, bounds.value) : null
    if (test && isDecided(test)) void stopGames()
}

/** The list of games requires the complete PGN, so it does not load after every game. */
const listIntervalMs = 3000
const listGames = coalesced(loadGames, listIntervalMs)

async function loadGames(): Promise<void> {
    const id = match.value?.id ?? ""
    const games = gamesOf(await matchGames(id))
    if (match.value?.id !== id) return
    batch(() => {
        if (collection.value === listed.value || collection.value.length === 0)
            collection.value = games
        listed.value = games
    })
}

/** Opens a finished game by its number. */
export async function openMatchGame(number: number): Promise<void> {
    try {
        if (listed.value.length < number) await loadGames()
        collection.value = listed.value
        await loadFromCollection(number - 1)
    } catch (error) {
        showError(error)
    }
}

/** Downloads the finished games as one file. */
export async function downloadMatch(): Promise<void> {
    const now = match.value
    if (!now) return
    try {
        const [first, second] = now.players.map((player) => seatName(player, now.players))
        download(`${first}-${second}-${now.played}`, await matchGames(now.id))
    } catch (error) {
        showError(error)
    }
}

/** Shows the running game again. */
export function showMatch(): void {
    batch(() => {
        collection.value = listed.value
        followsMatch.value = true
    })
    draw()
}

export const stopGames = (): Promise<void> =>
    trackPending(async () => {
        if (!match.value) return
        try {
            update(await stopMatch(match.value.id))
        } catch (error) {
            showError(error)
        }
    })
