// The state of the page in its tab: the user's work, the view and the switches. It survives a
// reload and a visit to another page.

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
    /** The work in the open place; null if it is too large for this storage. */
    work: Work | null
    /** The work of the other places. */
    waiting: Waiting
    matchDelayMs: number
    switches: Record<string, unknown>
}

/** The number increases when the format changes: a new version of the page ignores old data. */
const storageKey = "session-6"

/** Saves the state when the tab leaves the page. */
export function saveSession(): void {
    flush()
    const now = work()
    // A new game has no opponent until the AIs are known, and must not be restored without one.
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
/** Whether the page was opened rather than reloaded. */
const isVisit = navigation?.type === "navigate"

/**
 * The state that this tab saved. Opening a link to a game overrides it, but reloading that page
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

/**
 * Whether no other tab shows the board. Without TLS, the browser offers no locks, so this is
 * assumed.
 */
const isOnlyTab = (async () => {
    const { locks } = navigator as { locks?: LockManager }
    if (!locks) return true
    const isAlone = await locks.request("board", { ifAvailable: true }, (lock) => lock !== null)
    void locks.request("board", { mode: "shared" }, () => new Promise(() => undefined))
    return isAlone
})()

/** Restores the tab's state, or what was saved last. Returns whether there is a game. */
export async function restoreSession(): Promise<boolean> {
    if (savedSession) {
        const { work: saved, ...rest } = savedSession
        // If no game was started, a new visit begins with the default opponent.
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
