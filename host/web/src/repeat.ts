// Limits how often work runs.

/**
 * Returns a function that runs the work at once. Calls during the interval run it once more
 * afterwards. Failed work waits for the next call.
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
