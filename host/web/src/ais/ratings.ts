// Arena records of the AIs, if the server has an arena.

import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { call, clientId, clientKey } from "../api"
import type { Arena, Player } from "../api/types"

const players = signal<readonly Player[]>([])

/** Requests the ladder, and repeats the request when the client changes. */
export function useRatings(): void {
    useEffect(() => {
        const controller = new AbortController()
        const ask = async () => {
            const { features } = await call<{ features: string[] }>(
                "/v1/version",
                undefined,
                controller.signal,
            )
            const arena = features.includes("arena")
                ? await call<Arena>("/v1/arena", undefined, controller.signal)
                : null
            if (!controller.signal.aborted) players.value = arena?.players ?? []
        }
        // If the request fails, the AIs have no ratings.
        ask().catch(() => undefined)
        return () => controller.abort()
    }, [clientId.value, clientKey.value])
}

/**
 * Returns the arena player for an AI with its configured options. With other options, the AI is a
 * different player.
 */
export const recordOf = (ai: string): Player | undefined =>
    players.value.find(({ player }) => player === ai)
