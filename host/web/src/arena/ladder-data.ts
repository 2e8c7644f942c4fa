// The ladder, which is requested again after each game.

import { signal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import { call, clientId, clientKey } from "../api"
import { coalesced } from "../repeat"
import type { Arena, StateReply } from "../api/types"

export const arena = signal<Arena | null>(null)
/** The error from the last request for the ladder. */
export const arenaError = signal<unknown>(null)

/** The minimum time between requests. Fast games can end more often. */
const refreshIntervalMs = 1000
/** Requests the ladder. */
export const refreshArena = coalesced(async () => {
    try {
        arena.value = await call<Arena>("/v1/arena")
        arenaError.value = null
    } catch (error) {
        arenaError.value = error
    }
}, refreshIntervalMs)

export function setState({ state, reason }: StateReply): void {
    if (arena.value) arena.value = { ...arena.value, state, reason }
}

/**
 * Requests a path, and repeats the request when the path or the client changes. The previous reply
 * stays until the next one arrives.
 */
export function useReply<T>(path: string): { reply: T | null; error: unknown; isCurrent: boolean } {
    const [state, setReply] = useState<{ path: string; reply: T | null; error: unknown }>({
        path: "",
        reply: null,
        error: null,
    })
    useEffect(() => {
        const cancel = new AbortController()
        call<T>(path, undefined, cancel.signal).then(
            (reply) => setReply({ path, reply, error: null }),
            (error: unknown) => {
                if (!cancel.signal.aborted) setReply({ path, reply: null, error })
            },
        )
        return () => cancel.abort()
    }, [path, clientId.value, clientKey.value])
    const isCurrent = state.path === path
    return { reply: state.reply, error: isCurrent ? state.error : null, isCurrent }
}
