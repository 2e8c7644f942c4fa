// The language of the page: the user's choice, or the browser's language.

import { batch, signal } from "@preact/signals"
import { local } from "./storage"

/** The name of each language in that language. */
export const languages = { en: "English", de: "Deutsch" }
export type Language = keyof typeof languages

const storageKey = "language"
const isLanguage = (text: string | null | undefined): text is Language =>
    typeof text === "string" && Object.hasOwn(languages, text)

/** The language of the text on the page. */
export const language = signal<Language>("en")

/** The tables of strings by name. */
type Tables = Readonly<Record<string, object>>
type Translations = Readonly<Record<Exclude<Language, "en">, () => Promise<Tables>>>

let translations: Translations
/** The tables of the current language, unless it is English. */
const shown = signal<Tables>({})

/** Returns a table of strings that follows the language of the page. */
export const inLanguage = <T extends object>(name: string, english: T): T =>
    new Proxy(english, { get: (_, key) => ((shown.value[name] ?? english) as T)[key as keyof T] })

let latest: Language = "en"

async function show(next: Language): Promise<void> {
    latest = next
    const tables = next === "en" ? {} : await translations[next]()
    // The user may have chosen another language by now.
    if (latest !== next) return
    batch(() => {
        shown.value = tables
        language.value = next
    })
    document.documentElement.lang = next
}

/** Loads the language before anything is shown. English is part of the page and the fallback. */
export function startLanguage(from: Translations): Promise<void> {
    translations = from
    const chosen = local.get(storageKey)
    const known = isLanguage(chosen)
        ? chosen
        : navigator.languages.map((tag) => tag.split("-")[0]).find(isLanguage)
    return show(known ?? "en").catch(() => undefined)
}

export function chooseLanguage(next: Language): void {
    local.set(storageKey, next)
    // If the strings do not load, the page keeps its language.
    show(next).catch(() => undefined)
}

/** Returns the browser's variant of the language, such as `en-GB`, for dates. */
export const locale = (): string =>
    navigator.languages.find((tag) => tag.split("-")[0] === language.value) ?? language.value
