// The browser's database (IndexedDB) of the user's games. The list is stored separately from the
// contents, so that a long list is fast to read.

import { tagsOf } from "./pgn"
import { storageProblem } from "./storage"

export const [listStore, contentStore] = ["recent", "contents"]
/** The finished games that an older version of the page stored. */
const oldStore = "games"

let opened: Promise<IDBDatabase> | null = null

function open(): Promise<IDBDatabase> {
    opened ??= new Promise<IDBDatabase>((resolve, reject) => {
        const request = indexedDB.open("rookery", 2)
        request.onupgradeneeded = () => upgrade(request)
        request.onsuccess = () => {
            const database = request.result
            // A newer version of the page in another tab waits for this.
            database.onversionchange = () => {
                database.close()
                opened = null
            }
            database.onclose = () => (opened = null)
            if (storageProblem.peek() === "blocked") storageProblem.value = null
            resolve(database)
        }
        request.onerror = () => reject(request.error)
        // The database opens once the other tab is closed.
        request.onblocked = () => (storageProblem.value = "blocked")
    }).catch((error: unknown) => {
        opened = null
        throw error
    })
    return opened
}

function upgrade({ result: database, transaction }: IDBOpenDBRequest): void {
    const list = database.createObjectStore(listStore, { keyPath: "id" })
    const contents = database.createObjectStore(contentStore, { keyPath: "id" })
    if (!database.objectStoreNames.contains(oldStore)) return
    const games: IDBRequest<{ id: string; text: string }[]> | undefined = transaction
        ?.objectStore(oldStore)
        .getAll()
    if (!games) return
    games.onsuccess = () => {
        for (const { id, text } of games.result) {
            const {
                White: white = "?",
                Black: black = "?",
                Result: result = "*",
                Event: event = "",
            } = tagsOf(text)
            list.put({
                id,
                version: id,
                changed: Date.parse(id),
                white,
                black,
                result,
                event,
                placement: "8/8/8/8/8/8/8/8",
                orientation: "white",
            })
            contents.put({ id, pgn: text, work: null })
        }
        database.deleteObjectStore(oldStore)
    }
}

/** Runs one transaction on the list and the contents. Resolves when it is complete. */
export async function transact<T>(
    mode: IDBTransactionMode,
    use: (list: IDBObjectStore, contents: IDBObjectStore) => Promise<T> | T,
): Promise<T> {
    const database = await open()
    const transaction = database.transaction([listStore, contentStore], mode)
    const complete = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error)
    })
    // `Promise.all` makes a failed transaction reject only once.
    const [value] = await Promise.all([
        use(transaction.objectStore(listStore), transaction.objectStore(contentStore)),
        complete,
    ])
    return value
}

export const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
    })
