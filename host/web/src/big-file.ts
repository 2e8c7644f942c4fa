// Reads a file of games in a worker. Shows progress and can be stopped.

import { signal } from "@preact/signals"
import type { IndexedGame } from "./pgn-index"
import type { Batch } from "./pgn-worker"

/** The file being read; null if none is. */
export const reading = signal<{ name: string; read: number; of: number; games: number } | null>(
    null,
)
let stop: () => void = () => undefined

export const stopReading = (): void => stop()

/**
 * Indexes the games in a file, and passes them on in batches. Resolves at the end of the file, or
 * when reading is stopped.
 *
 * # Errors
 * The file cannot be read, for example because it was moved.
 */
export function readGames(
    file: File,
    onGames: (games: readonly IndexedGame[]) => void,
): Promise<void> {
    stop()
    const worker = new Worker(new URL("./pgn-worker.ts", import.meta.url), { type: "module" })
    let count = 0
    reading.value = { name: file.name, read: 0, of: file.size, games: 0 }
    let own = stop
    return new Promise<void>((resolve, reject) => {
        own = stop = resolve
        worker.onerror = (event) => reject(new Error(event.message))
        worker.onmessage = ({ data }: MessageEvent<Batch | null>) => {
            if (!data) return reject(new Error(`${file.name} cannot be read`))
            const { games, read, isLast } = data
            count += games.length
            reading.value = { name: file.name, read, of: file.size, games: count }
            onGames(games)
            if (isLast) resolve()
        }
        worker.postMessage(file)
    }).finally(() => {
        worker.terminate()
        // By now another file may be loading, with its own progress.
        if (own === stop) reading.value = null
    })
}
