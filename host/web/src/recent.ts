// The user's games and positions in the browser's database: saved on every change, listed, deleted
// and restored.

import { effect, signal, untracked } from "@preact/signals"
import { searches } from "./analysis"
import type { Color } from "./api"
import { resultOf, transact } from "./database"
import { gamePgn, gameTags } from "./export"
import { loadStored } from "./files"
import { placement, standardStart } from "./game"
import { isFollowing } from "./match"
import { enterPlace } from "./places"
import { coalesced } from "./repeat"
import { addStep, replaceGame } from "./steps"
import { reportStorage, storageProblem } from "./storage"
import type { Place } from "./switches"
import { texts } from "./texts/board"
import { orientation } from "./view"
import { content, isEmpty, isRestoring, newKey, newPlace, savedAs, setWork, work } from "./work"
import type { SavedAs, Work } from "./work"

/** An entry of the list. */
export interface Entry {
    id: string
    version: string
    /** The time of the last change. */
    changed: number
    white: string
    black: string
    result: string
    event: string
    /** Missing if an older version of the page stored it. */
    place?: Place
    placement: string
    orientation: Color
}

interface Content {
    id: string
    pgn: string
    /** Null if only the PGN is known. */
    work: Omit<Work, "savedAs"> | null
}

/** The entries, latest first; null until they have loaded. */
export const recent = signal<readonly Entry[] | null>(null)

const news = new BroadcastChannel("recent")
news.onmessage = () => void refresh()

async function refresh(): Promise<void> {
    const entries = await guarded(() =>
        transact<Entry[]>("readonly", (list) => resultOf(list.getAll())),
    )
    if (entries) recent.value = entries.sort((a, b) => b.changed - a.changed)
}

const listed = refresh()

/** Uses the database. On an error, reports it and returns null. */
async function guarded<T>(use: () => Promise<T>): Promise<T | null> {
    try {
        return await use()
    } catch (error) {
        reportStorage(error)
        return null
    }
}

/** The state that waits to be stored. */
let waiting: {
    place: SavedAs
    /** The new state; null if it has become empty. */
    state: { entry: Omit<Entry, "id" | "version">; content: Omit<Content, "id"> } | null
} | null = null
let stored: Promise<unknown> = Promise.resolve()

/**
 * Stores the waiting state. If another tab has changed or deleted the entry, that change stands,
 * and this state becomes a new entry.
 */
function store(): Promise<unknown> {
    const now = waiting
    if (!now) return stored
    waiting = null
    const { place, state } = now
    const known = [...place.versions]
    const version = newKey()
    // Set at once, because a page that is closing still stores its state, but does not wait for it.
    place.versions = state ? [...known.slice(-5), version] : []
    const put = () =>
        transact("readwrite", async (list, contents) => {
            const before: Entry | undefined = await resultOf(list.get(place.id))
            const isForeign = before ? !known.includes(before.version) : known.length > 0
            if (!state) {
                if (isForeign) return
                list.delete(place.id)
                contents.delete(place.id)
                return
            }
            if (isForeign) Object.assign(place, { ...newPlace(), versions: [version] })
            list.put({ ...state.entry, id: place.id, version })
            contents.put({ ...state.content, id: place.id })
        })
    stored = stored.then(async () => {
        const isStored = await guarded(async () => (await put(), true))
        if (!isStored)
            place.versions = state ? place.versions.filter((other) => other !== version) : known
        // The state is stored after the next change, or when the storage has more room.
        if (!isStored) waiting ??= now
        if (!isStored) return
        storageProblem.value = null
        news.postMessage(null)
        const others = (recent.value ?? []).filter(({ id }) => id !== place.id)
        recent.value = state ? [{ ...state.entry, id: place.id, version }, ...others] : others
    })
    return stored
}

/** Changes during a write are combined into the next one. */
const save = coalesced(async () => void (await store()), 0)
/** Stores all pending state at once, including the results of a search in progress. */
export function flush(): void {
    const isSearching = [...searches.peek().values()].some(({ done }) => !done)
    if (isSearching && !isFollowing.peek()) take()
    void store()
}

/**
 * Whether the work is not worth a row in the list. Before the first move, only a position to
 * analyse is worth one.
 */
function isBlank({ game, setup, place }: Work): boolean {
    const [root] = game.nodes
    return (
        setup === null &&
        (place !== "analyse" || game.start === standardStart) &&
        !root?.children.length &&
        !root?.comment &&
        !root?.shapes?.length
    )
}

/** Sets the current work as the state to store. */
function take(): void {
    const { savedAs: place, ...rest } = work()
    if (waiting && waiting.place !== place) void store()
    if (isBlank({ savedAs: place, ...rest })) {
        waiting = place.versions.length > 0 ? { place, state: null } : null
        return
    }
    const {
        White: white = "",
        Black: black = "",
        Result: result = "*",
        Event: event = "",
    } = gameTags()
    const entry = {
        changed: Date.now(),
        white,
        black,
        result,
        event,
        place: rest.place,
        placement: placement.value,
        orientation: orientation.value,
    }
    waiting = { place, state: { entry, content: { pgn: gamePgn(), work: rest } } }
}

let seen = content()

/** Saves each change. A server match is not the user's work. */
effect(() => {
    const [now, before] = [content(), seen]
    if (isFollowing.value) return
    seen = now
    if (isRestoring.value || now.every((part, index) => part === before[index])) return
    untracked(take)
    save()
})

const contentOf = (id: string) =>
    transact<Content | undefined>("readonly", (_, contents) => resultOf(contents.get(id)))

/** Returns the place that saved work belongs to. Older versions of the page did not store it. */
function placeOf({ place, players: { white, black } }: Omit<Work, "savedAs">): Place {
    if (place) return place
    if (white === "you" && black === "you") return "analyse"
    return white === "you" || black === "you" ? "play" : "watch"
}

/** Opens a saved game by its id. */
export async function openGame(id: string): Promise<void> {
    await listed
    flush()
    await stored
    const entry = recent.value?.find((entry) => entry.id === id)
    if (entry) await openEntry(entry)
}

/** Opens a saved entry in its place. */
export async function openEntry({ id, version }: Entry): Promise<void> {
    flush()
    const found = await guarded(() => contentOf(id))
    if (!found) return void refresh()
    const { work: saved, pgn } = found
    const place = { id, versions: [version] }
    if (savedAs.peek().id === id) return
    enterPlace(saved ? placeOf(saved) : "analyse")
    if (!saved) await loadStored(pgn, place)
    // The entry may already be open in its place.
    else if (savedAs.peek().id !== id)
        replaceGame(texts.page.gameOpened, () =>
            setWork({
                ...saved,
                savedAs: place,
                clocks: { ...saved.clocks, isPaused: saved.clocks.control !== null },
            }),
        )
}

/** Opens the last saved entry, if there is one, without replacing anything. */
export async function openLast(): Promise<void> {
    await listed
    const [last] = recent.value ?? []
    if (last && isEmpty(work())) await openEntry(last)
}

/** Deletes entries. Undo restores them. */
export async function deleteEntries(entries: readonly Entry[], what: string): Promise<void> {
    // Storing the pending state later would restore its entry.
    await store()
    const deleted = await guarded(() =>
        transact("readwrite", async (list, contents) => {
            const found = await Promise.all(
                entries.map(async (entry) => ({
                    entry,
                    content: (await resultOf(contents.get(entry.id))) as Content | undefined,
                })),
            )
            for (const { id } of entries) {
                list.delete(id)
                contents.delete(id)
            }
            // Another tab may have deleted some.
            return found.filter(({ content }) => content)
        }),
    )
    await changed()
    if (!deleted) return
    if (entries.some(({ id }) => id === waiting?.place.id)) waiting = null
    save()
    const restore = async () => {
        await guarded(() =>
            transact("readwrite", (list, contents) => {
                for (const { entry, content } of deleted) {
                    list.put(entry)
                    contents.put(content)
                }
            }),
        )
        await changed()
    }
    addStep(what, () => void restore(), false)
}

async function changed(): Promise<void> {
    news.postMessage(null)
    await refresh()
}

/** Returns everything as one PGN, oldest first. */
export async function recentPgn(): Promise<string> {
    flush()
    await stored
    const contents = await guarded(() =>
        transact<Content[]>("readonly", (_, contents) => resultOf(contents.getAll())),
    )
    const byId = new Map((contents ?? []).map(({ id, pgn }) => [id, pgn]))
    return (recent.value ?? [])
        .toReversed()
        .map(({ id }) => byId.get(id))
        .filter(Boolean)
        .join("\n")
}
