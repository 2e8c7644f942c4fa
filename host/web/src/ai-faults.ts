// The AIs whose last answer to this page was a fault. The host starts a crashed AI again at once,
// so its state alone would say that all is well.

import { signal } from "@preact/signals"

/** The code of the last fault of an AI and its time; an answer clears it. */
export const aiFaults = signal<Readonly<Record<string, { code: string; time: number }>>>({})

/** Takes the code of a failed request; faults of requests are none of the AI. */
export function noteFault(ai: string, code: string): void {
    if (!code.startsWith("ai_") || code === "ai_not_allowed" || code === "ai_unavailable") return
    aiFaults.value = { ...aiFaults.value, [ai]: { code, time: Date.now() } }
}

/** Takes that an AI has answered. */
export function noteAnswer(ai: string): void {
    if (!(ai in aiFaults.value)) return
    const { [ai]: healed, ...others } = aiFaults.value
    aiFaults.value = others
}
