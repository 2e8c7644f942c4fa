// Requests that may change the position.

import { computed, signal } from "@preact/signals"

const pending = signal(0)
/** Whether such a request is in flight. */
export const isPending = computed(() => pending.value > 0)

export async function trackPending<T>(send: () => Promise<T>): Promise<T> {
    pending.value += 1
    try {
        return await send()
    } finally {
        pending.value -= 1
    }
}
