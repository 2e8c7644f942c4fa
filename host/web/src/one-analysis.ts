// One analysis at a time: of the position, or of a whole game by one or several AIs. Starting one
// stops the previous one.

import { signal } from "@preact/signals"

export interface Running {
    /** The analysis and its progress, as text. */
    name: () => string
    stop: () => void
}

/** The running analysis; null if there is none. */
export const running = signal<Running | null>(null)

/** Stops the running analysis, and registers a new one. */
export function begin(name: () => string, stop: () => void): Running {
    const before = running.peek()
    const now: Running = { name, stop }
    running.value = now
    before?.stop()
    return now
}

/** Ends an analysis, unless a later one has replaced it. */
export function end(analysis: Running | null): void {
    if (analysis !== null && running.peek() === analysis) running.value = null
}
