// One analysis at a time: of the position, of a whole game by one AI or by several. A later one
// stops the one before.

import { signal } from "@preact/signals"

export interface Running {
    /** What is analysed, with how far it is. */
    name: () => string
    stop: () => void
}

/** The analysis that runs; null if none does. */
export const running = signal<Running | null>(null)

/** Stops the analysis that runs, and makes another one the only one. */
export function begin(name: () => string, stop: () => void): Running {
    const before = running.peek()
    const now: Running = { name, stop }
    running.value = now
    before?.stop()
    return now
}

/** Ends an analysis. Another one that began since goes on. */
export function end(analysis: Running | null): void {
    if (analysis !== null && running.peek() === analysis) running.value = null
}
