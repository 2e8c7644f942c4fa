// How long each AI has been in its current state, as far as this page has seen.

import { effect } from "@preact/signals"
import { ais } from "../ais"
import type { Ai } from "../api"
import { texts } from "../texts/board"

/** Searching and waiting for a request both count as working. */
const kindOf = ({ state }: Ai): string => (state === "busy" ? "ready" : state)

interface Since {
    kind: string
    time: number
    /** Whether this page saw the change to the current state. */
    isSeen: boolean
}

let since: Readonly<Record<string, Since>> = {}

effect(() => {
    const now = Date.now()
    since = Object.fromEntries(
        ais.value.map((ai) => {
            const [before, kind] = [since[ai.id], kindOf(ai)]
            const next = { kind, time: now, isSeen: before !== undefined }
            return [ai.id, before?.kind === kind ? before : next]
        }),
    )
})

const minuteMs = 60_000

/** Returns the state of an AI, and how long it has lasted. */
export function stateText(ai: Ai): string {
    const state = texts.ais.states[ai.state]
    const { time, isSeen } = since[ai.id] ?? { time: Date.now(), isSeen: false }
    const minutes = Math.floor((Date.now() - time) / minuteMs)
    return minutes < 1 ? state : texts.ais.since(state, minutes, isSeen)
}
