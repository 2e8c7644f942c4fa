// The browser's storage, which may be forbidden or full. Reads then return nothing, and the page
// reports it.

import { signal } from "@preact/signals"

/**
 * Why the browser does not store anything; null while it does. `blocked` means that an older
 * version of the page in another tab holds the database.
 */
export const storageProblem = signal<"forbidden" | "full" | "blocked" | "failed" | null>(null)

/** Errors caused by the user's settings. For the database, Chromium calls them `UnknownError`. */
const problems: Record<string, "forbidden" | "full"> = {
    QuotaExceededError: "full",
    SecurityError: "forbidden",
    InvalidStateError: "forbidden",
    UnknownError: "forbidden",
}

export function reportStorage(error: unknown): void {
    const problem = problems[(error as Error).name] ?? "failed"
    if (problem === "failed") console.error(error)
    storageProblem.value = problem
}

/**
 * Returns a storage that never throws. Even reading the property throws if cookies are blocked.
 */
function safe(name: "localStorage" | "sessionStorage") {
    const attempt = <T>(use: (storage: Storage) => T, otherwise: T): T => {
        try {
            return use(window[name])
        } catch (error) {
            reportStorage(error)
            return otherwise
        }
    }
    return {
        get: (key: string) => attempt((storage) => storage.getItem(key), null),
        /** Returns whether the value was stored. */
        set: (key: string, value: string) =>
            attempt((storage) => (storage.setItem(key, value), true), false),
        remove: (key: string) => attempt((storage) => storage.removeItem(key), undefined),
    }
}

export const local = safe("localStorage")
export const tabStorage = safe("sessionStorage")
