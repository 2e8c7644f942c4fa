// Work that is asked for more often than it is to be done.

/**
 * Returns a function that does the work at once; later calls do it again after the interval,
 * together. Work that fails waits for the next call.
 */
export function coalesced(work: () => Promise<void>, intervalMs: number): () => void {
    let [isDue, isRunning] = [false, false]
    const run = async () => {
        isRunning = true
        while (isDue) {
            isDue = false
            await work().catch(() => undefined)
            await new Promise((resolve) => setTimeout(resolve, intervalMs))
        }
        isRunning = false
    }
    return () => {
        isDue = true
        if (!isRunning) void run()
    }
}
