// AIs whose last answer to this page was a fault. The host restarts a crashed AI at once, so its
// state alone would hide the fault.

import { signal } from "@preact/signals"

/** The code and time of an AI's last fault. An answer clears it. */
export const aiFaults = signal<Readonly<Record<string, { code: string; time: number }>>>({})

/** Records the error from a failed request if the AI was at fault. */
export function noteFault(ai: string, code: string): void {
    if (!code.startsWith("ai_") || code === "ai_not_allowed" || code === "ai_unavailable") return
    aiFaults.value = { ...aiFaults.value, [ai]: { code, time: Date.now() } }
}

/** Records that an AI has answered. */
export function noteAnswer(ai: string): void {
    if (!(ai in aiFaults.value)) return
    const { [ai]: healed, ...others } = aiFaults.value
    aiFaults.value = others
}
