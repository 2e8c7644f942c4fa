// The user's finished games, stored in this browser (IndexedDB).

import { computed, effect, signal, untracked } from "@preact/signals"
import { gamePgn, gameTags } from "./export"
import { collection, loadedIndex } from "./files"
import type { FileGame } from "./files"
import { endId, gameNumber, isOver, plies, tags } from "./game"
import { players } from "./players"

interface StoredGame extends FileGame {
    /** When the game was started in this browser, as a unique key. */
    id: string
}

const [databaseName, storeName] = ["rookery", "games"]

function open(): Promise<IDBDatabase> {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open(databaseName, 1)
        request.onupgradeneeded = () => void request.result.createObjectStore(storeName, { keyPath: "id" })
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error ?? new Error("IndexedDB is unavailable"))
    })
}

/** Runs one operation on the store. */
async function run<T>(mode: IDBTransactionMode, operate: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const database = await open()
    try {
        return await new Promise((resolve, reject) => {
            const request = operate(database.transaction(storeName, mode).objectStore(storeName))
            request.onsuccess = () => resolve(request.result)
            request.onerror = () => reject(request.error ?? new Error("IndexedDB failed"))
        })
    } finally {
        database.close()
    }
}

/** The stored games, the latest first. A browser may forbid storage; the page works without it. */
export const storedGames = signal<readonly StoredGame[]>([])

async function refresh(): Promise<void> {
    const games: StoredGame[] = await run("readonly", (store) => store.getAll()).catch(() => [])
    storedGames.value = games.reverse()
}
void refresh()

/** A loaded game has tags; a game played here has none. */
const isOwn = computed(() => Object.keys(tags.value).length === 0 && plies.value.length > 0)
let key = { game: -1, id: "" }

/** Stores each game that ends; a game that goes on after that replaces itself. */
effect(() => {
    void [endId.value, players.value]
    if (!isOver.value || !isOwn.value) return
    untracked(() => {
        if (key.game !== gameNumber.value) key = { game: gameNumber.value, id: new Date().toISOString() }
        const game: StoredGame = { id: key.id, text: gamePgn(), tags: gameTags() }
        run("readwrite", (store) => store.put(game)).then(refresh, () => undefined)
    })
})

/** Whether the list shows the stored games. */
export const isHistoryShown = computed(() => storedGames.value.length > 0 && collection.value === storedGames.value)

export function showHistory(): void {
    collection.value = storedGames.value
    loadedIndex.value = null
}

export const historyPgn = (): string => storedGames.value.map(({ text }) => text).join("\n")

export async function clearHistory(): Promise<void> {
    await run("readwrite", (store) => store.clear()).catch(() => undefined)
    if (isHistoryShown.value) collection.value = []
    await refresh()
}
