// A match between two AIs that the server plays: its start, its progress, its finished games and
// its end.

import { batch, computed, signal } from "@preact/signals"
import { ais, aiName } from "./ais"
import { findMatch, followMatch, matchGames, Problem, startMatch, stopMatch } from "./api"
import type { Color, Match } from "./api"
import { controlText, timeControl } from "./clocks"
import { collection, gamesOf, loadedIndex } from "./files"
import { errorMessage } from "./format"
import { draw, onGameRecord, setSeats } from "./match-board"
import type { Seats } from "./match-board"
import { optionsOf } from "./options"
import { trackPending } from "./pending"
import { aiOf, playersSettings } from "./players"
import { coalesced } from "./repeat"
import { local } from "./storage"
import { switches } from "./switches"
import { texts } from "./texts/board"
import { common } from "./texts/common"

const { followsMatch, gameCount } = switches

/** The match that this browser started last; null without one. */
export const match = signal<Match | null>(null)
/** Whether the match goes on. */
export const isOpen = computed(
    () => match.value !== null && !["finished", "stopped", "failed"].includes(match.value.state),
)
/** Whether the board shows the running game. */
export const isFollowing = computed(() => isOpen.value && followsMatch.value)
export const matchError = signal<string | null>(null)

/** The limits that the text of a player may have. */
const limitsOfPlayers = ["depth", "nodes", "movetime_ms"]
/**
 * The players have limits of their own. Without one of the match the server would stop each move
 * after 100 ms.
 */
const noLimit = { nodes: 1e12 }

/** How an AI plays on a side, as in requests for its moves. */
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

/** Returns a player as the server reads it: `basic1,quiescence=false,depth=3`. */
const playerText = ({ ai, options, limit }: Seat): string =>
    [
        ai,
        ...Object.entries({ ...options, ...limit }).map(([name, value]) => `${name}=${value}`),
    ].join(",")

/** Returns why the text of a player cannot say how it plays. */
function obstacles({ ai, options, limit, known }: Seat): string[] {
    const kinds = Object.keys(limit).filter(
        (kind) => !limitsOfPlayers.includes(kind) || known.includes(kind),
    )
    const names = Object.entries(options).flatMap(([name, value]) =>
        /,|^\s|\s$/.test(String(value)) ? name : [],
    )
    return [
        ...kinds.map((kind) => texts.game.limitObstacle(aiName(ai), kind)),
        ...names.map((name) => texts.game.optionObstacle(name, aiName(ai))),
    ]
}

const storageKey = "match"
/** What a reload of the page keeps of a match. */
interface Stored {
    id: string
    seats: Seats
}

/** Lets the server play the games. */
export const startGames = (): Promise<void> =>
    trackPending(async () => {
        const [white, black] = [seatOf("white"), seatOf("black")]
        const [found = null] = [white, black].flatMap(obstacles)
        matchError.value = found
        if (found !== null) return
        const control = timeControl.value
        const pace = control ? { time_control: controlText(control) } : { limit: noLimit }
        // Without TLS a page has no `crypto.randomUUID`.
        const key = crypto.getRandomValues(new Uint32Array(4)).join("-")
        try {
            const started = await startMatch(
                {
                    players: [playerText(white), playerText(black)],
                    games: gameCount.value,
                    ...pace,
                },
                key,
            )
            const [first, second] = started.players
            const stored: Stored = {
                id: started.id,
                seats: { [first]: white.settings, [second]: black.settings },
            }
            local.set(storageKey, JSON.stringify(stored))
            batch(() => {
                collection.value = listed = []
                loadedIndex.value = null
                followsMatch.value = true
                watch(started, stored.seats)
            })
        } catch (error) {
            showError(error)
        }
    })

/**
 * Shows an error. A match that the server no longer knows is over, as after its restart without an
 * arena.
 */
function showError(error: unknown): void {
    matchError.value = errorMessage(common.theServer, error)
    if (isUnknown(error)) forget()
}

const isUnknown = (error: unknown) => error instanceof Problem && error.body.status === 404

function forget(): void {
    match.value = null
    local.remove(storageKey)
}

/** Goes on with the match that was started last. */
export async function resumeMatch(): Promise<void> {
    try {
        const { id, seats } = JSON.parse(local.get(storageKey) ?? "null") as Stored
        const found = await findMatch(id)
        if (match.value) return
        watch(found, seats)
        // The result of a match that has ended is shown once more.
        if (!isOpen.value) local.remove(storageKey)
    } catch (error) {
        // The user may have started another match meanwhile.
        if (!match.value && (!(error instanceof Problem) || isUnknown(error))) forget()
    }
}

/** The list of the finished games, until another one is shown. */
let listed = collection.peek()

function watch(found: Match, seats: Seats): void {
    match.value = found
    setSeats(seats)
    const isCurrent = () => match.value?.id === found.id
    followMatch(found.id, (record) => {
        if (!isCurrent()) return
        if (record.type === "progress") update(record)
        else onGameRecord(record)
    }).then(
        (ended) => isCurrent() && update(ended),
        (error: unknown) => isCurrent() && showError(error),
    )
}

function update(progress: Partial<Match>): void {
    if (!match.value) return
    match.value = { ...match.value, ...progress }
    if (listed.length !== match.value.played) listGames()
}

/** A list is the whole PGN. */
const listIntervalMs = 3000
const listGames = coalesced(async () => {
    const id = match.value?.id ?? ""
    const games = gamesOf(await matchGames(id))
    if (match.value?.id === id && collection.value === listed) collection.value = listed = games
}, listIntervalMs)

/** Shows the running game again. */
export function showMatch(): void {
    batch(() => {
        collection.value = listed
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
