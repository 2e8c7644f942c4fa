// A worker that indexes a large PGN. It receives the file and sends the games in batches, the last
// batch with `isLast`. It sends null if the file cannot be read.

import { PgnIndexer } from "./pgn-index"
import type { IndexedGame } from "./pgn-index"

export interface Batch {
    games: IndexedGame[]
    /** The number of bytes read so far. */
    read: number
    isLast: boolean
}

const batchSize = 2000

// The page does not see a rejection in a worker.
onmessage = ({ data: file }: MessageEvent<File>) =>
    void readFile(file).catch(() => postMessage(null))

async function readFile(file: File): Promise<void> {
    const indexer = new PgnIndexer()
    let [games, read] = [[] as IndexedGame[], 0]
    const send = (isLast: boolean) => {
        const batch: Batch = { games, read, isLast }
        postMessage(batch)
        games = []
    }
    const reader = file.stream().getReader()
    for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        read += value.length
        games.push(...indexer.push(value))
        if (games.length >= batchSize) send(false)
    }
    games.push(...indexer.finish())
    send(true)
}
