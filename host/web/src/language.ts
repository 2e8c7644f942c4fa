// The language of the page: the one that the user chose, otherwise that of the browser.

import { batch, signal } from "@preact/signals"
import { local } from "./storage"

/** The languages by their own names. */
export const languages = { en: "English", de: "Deutsch" }
export type Language = keyof typeof languages

const storageKey = "language"
const isLanguage = (text: string | null | undefined): text is Language => typeof text === "string" && Object.hasOwn(languages, text)

/** The language of the texts that are shown. */
export const language = signal<Language>("en")

/** Loads a table. Returns what shows it. */
type Load = (language: Language) => Promise<() => void>
const tables: Load[] = []

/** Returns a table of texts that is always in the language of the page. Only English is loaded with the page. */
export function inLanguage<T extends object>(english: T, others: Record<Exclude<Language, "en">, () => Promise<T>>): T {
    const shown = signal(english)
    tables.push(async (language) => {
        const next = language === "en" ? english : await others[language]()
        return () => (shown.value = next)
    })
    return new Proxy(english, { get: (_, name) => shown.value[name as keyof T] })
}

let latest: Language = "en"

async function show(next: Language): Promise<void> {
    latest = next
    const changes = await Promise.all(tables.map((load) => load(next)))
    // The user may have chosen another language meanwhile.
    if (latest !== next) return
    batch(() => {
        for (const change of changes) change()
        language.value = next
    })
    document.documentElement.lang = next
}

/** Loads the language before anything is shown. Without its texts the page is English. */
export function startLanguage(): Promise<void> {
    const chosen = local.get(storageKey)
    const known = isLanguage(chosen) ? chosen : navigator.languages.map((tag) => tag.split("-")[0]).find(isLanguage)
    return show(known ?? "en").catch(() => undefined)
}

export function chooseLanguage(next: Language): void {
    local.set(storageKey, next)
    // Without its texts the page stays as it is.
    show(next).catch(() => undefined)
}

/** The browser's own form of the language, such as `en-GB`, for dates. */
export const locale = (): string => navigator.languages.find((tag) => tag.split("-")[0] === language.value) ?? language.value
