// The players' clocks. Each position stores the time left after its move, which keeps undo and
// variations right. Only the player to move at the end of the line is timed here.

import { batch, signal } from "@preact/signals"
import type { Clocks, Color } from "./api"
import { endId, gameNumber, isOnLine, plies, tree, turnAfter } from "./game"
import { pathTo } from "./tree"

export interface TimeControl {
    initialMs: number
    incrementMs: number
}

/** Formats a time control in seconds: `180+2`. */
export const controlText = ({ initialMs, incrementMs }: TimeControl): string =>
    `${initialMs / 1000}+${incrementMs / 1000}`

/** The game's time control; null if it has none. */
export const timeControl = signal<TimeControl | null>(null)
/** Whether the user paused the clocks. */
export const isPaused = signal(false)
/** The number of plies played before the time control was chosen. */
const chosenAt = signal({ game: -1, ply: 0 })

/** A player's turn at the end of the current line. */
interface Turn {
    game: number
    node: number
}
const currentTurn = (): Turn => ({ game: gameNumber.value, node: endId.value })
/** The time used in a turn before the clock last started, and when it started. */
const used = signal<Turn & { ms: number; since: number | null }>({
    game: -1,
    node: -1,
    ms: 0,
    since: null,
})

/** Changes the time control. Both players get its full time. */
export function setTimeControl(control: TimeControl | null): void {
    batch(() => {
        timeControl.value = control
        // Without a time control, the page shows the clocks stored with the moves, as in a loaded
        // game.
        chosenAt.value = { game: gameNumber.value, ply: control ? plies.value.length : 0 }
        used.value = {
            ...currentTurn(),
            ms: 0,
            since: used.value.since === null ? null : Date.now(),
        }
        isPaused.value = false
    })
}

export const runningSince = (): number | null => used.value.since

function usedMs(): number {
    const [{ game, node, ms, since }, turn] = [used.value, currentTurn()]
    return game === turn.game && node === turn.node
        ? ms + (since === null ? 0 : Date.now() - since)
        : 0
}

export function startClock(): void {
    used.value = { ...currentTurn(), ms: usedMs(), since: Date.now() }
}

export function stopClock(): void {
    if (used.peek().since !== null) used.value = { ...currentTurn(), ms: usedMs(), since: null }
}

/**
 * Returns the time that a player had left after a number of plies of the current line; null if the
 * player has no clock.
 */
function storedMs(color: Color, count: number): number | null {
    const { game, ply: first } = chosenAt.value
    for (let ply = count; ply > (game === gameNumber.value ? first : 0); ply -= 1) {
        const seconds = plies.value[ply - 1]?.clockSeconds
        if (seconds !== undefined && turnAfter(ply - 1) === color) return seconds * 1000
    }
    return timeControl.value?.initialMs ?? null
}

/**
 * Returns the time that a player has left in a position of the current line; null if the player has
 * no clock.
 */
export function leftMs(color: Color, count: number): number | null {
    const stored = storedMs(color, count)
    const isTheirTurn =
        timeControl.value !== null && count === plies.value.length && turnAfter(count) === color
    return stored === null ? null : Math.max(0, stored - (isTheirTurn ? usedMs() : 0))
}

/**
 * Returns the mover's clock after a move from a position of the current line, including the
 * increment.
 */
export function pressedClock(node: number): { clockSeconds?: number } {
    const control = timeControl.peek()
    if (!control || !isOnLine(node)) return {}
    const count = pathTo(tree.peek(), node).length - 1
    return { clockSeconds: ((leftMs(turnAfter(count), count) ?? 0) + control.incrementMs) / 1000 }
}

/** Returns the clocks as sent in a request for a move. */
export function clocksForm(count: number): { clocks?: Clocks } {
    const control = timeControl.peek()
    if (!control) return {}
    const left = (color: Color) => Math.round(leftMs(color, count) ?? control.initialMs)
    const { incrementMs } = control
    return {
        clocks: {
            white_ms: left("white"),
            black_ms: left("black"),
            white_increment_ms: incrementMs,
            black_increment_ms: incrementMs,
        },
    }
}

export interface ClocksState {
    control: TimeControl | null
    /** The number of plies before the time control was chosen. */
    chosenAt: number
    isPaused: boolean
    usedMs: number
}

/** Returns the clocks in a form that can be stored. */
export const clocksState = (): ClocksState => ({
    control: timeControl.value,
    chosenAt: chosenAt.value.game === gameNumber.value ? chosenAt.value.ply : 0,
    isPaused: isPaused.value,
    usedMs: usedMs(),
})

export function restoreClocks(state: ClocksState): void {
    batch(() => {
        timeControl.value = state.control
        chosenAt.value = { game: gameNumber.value, ply: state.chosenAt }
        isPaused.value = state.isPaused
        used.value = {
            ...currentTurn(),
            ms: state.usedMs,
            since: used.value.since === null ? null : Date.now(),
        }
    })
}
