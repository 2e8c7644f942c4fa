// The state of the page in its tab: what the user works on, the view and the switches. A reload and
// a visit to another page keep it.

import { aiIds } from "./ais"
import { linkedPlace } from "./place-names"
import { matchDelayMs } from "./play"
import { flush, openLast } from "./recent"
import { hasBegun, setWaitingWork, waitingWork } from "./places"
import type { Waiting } from "./places"
import { tabStorage } from "./storage"
import { switches } from "./switches"
import { isEmpty, setWork, work } from "./work"
import type { Work } from "./work"

interface Session {
    /** Null if it is too large for this storage. */
    work: Work | null
    /** The work of the other places. */
    waiting: Waiting
    matchDelayMs: number
    switches: Record<string, unknown>
}

/**
 * The number increases with each change of the data, so that a new version of the page does not
 * read the data of an old one.
 */
const storageKey = "session-6"

/** Saves the state, since the tab leaves the page. */
export function saveSession(): void {
    flush()
    const now = work()
    // A new game has no opponent until the AIs are known and it has begun, and must not come back
    // without one.
    if ((aiIds.value.length === 0 || !hasBegun.value) && isEmpty(now)) {
        if (!savedSession) return tabStorage.remove(storageKey)
        if (savedSession.work && isEmpty(savedSession.work)) return
    }
    const session: Session = {
        work: now,
        waiting: waitingWork(),
        matchDelayMs: matchDelayMs.value,
        switches: Object.fromEntries(
            Object.entries(switches).map(([name, value]) => [name, value.value]),
        ),
    }
    if (!tabStorage.set(storageKey, JSON.stringify(session)))
        tabStorage.set(storageKey, JSON.stringify({ ...session, work: null, waiting: {} }))
}

const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[]
/** Whether the page was opened, not loaded again. */
const isVisit = navigation?.type === "navigate"

/**
 * The state that the tab left. A link to a game that is opened precedes it; a reload of its page
 * does not.
 */
export const savedSession = readSession()

function readSession(): Session | null {
    const json = tabStorage.get(storageKey)
    if (!json || (isVisit && linkedPlace === null && location.hash.length > 1)) return null
    try {
        return JSON.parse(json) as Session
    } catch {
        return null
    }
}

/** Whether no other tab shows the board, as far as the browser tells: without TLS it does not. */
const isOnlyTab = (async () => {
    const { locks } = navigator as { locks?: LockManager }
    if (!locks) return true
    const isAlone = await locks.request("board", { ifAvailable: true }, (lock) => lock !== null)
    void locks.request("board", { mode: "shared" }, () => new Promise(() => undefined))
    return isAlone
})()

/** Restores what the tab left, otherwise what was saved last. Returns whether there is a game. */
export async function restoreSession(): Promise<boolean> {
    if (savedSession) {
        const { work: saved, ...rest } = savedSession
        // A visit begins with the default opponent, unless there is a game.
        const isNew = saved !== null && isVisit && isEmpty(saved)
        if (saved && !isNew) setWork(saved)
        setWaitingWork(rest.waiting)
        matchDelayMs.value = rest.matchDelayMs
        for (const [name, value] of Object.entries(switches)) {
            const known = rest.switches[name]
            if (known !== undefined) (value as { value: unknown }).value = known
        }
        if (saved) return !isNew
    }
    if (await isOnlyTab) await openLast()
    return !isEmpty(work())
}
