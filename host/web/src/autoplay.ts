// Plays through the game automatically.

import { effect, signal } from "@preact/signals"
import { atEnd, currentId, cursor, goTo } from "./game"

const intervalMs = 1200

export const isAutoplaying = signal(false)

effect(() => {
    void currentId.value
    if (!isAutoplaying.value) return undefined
    if (atEnd.value) {
        isAutoplaying.value = false
        return undefined
    }
    const timer = setTimeout(() => goTo(cursor.peek() + 1), intervalMs)
    return () => clearTimeout(timer)
})
