// The AI options that the user changed: sent with every request to that AI, stored for the session of the tab.

import { signal } from "@preact/signals"

export type OptionValue = boolean | number | string
export type Options = Readonly<Record<string, OptionValue>>
type ByAi<T> = Readonly<Record<string, Readonly<Record<string, T>>>>

const stored = "options"

function restored(): ByAi<OptionValue> {
    try {
        return JSON.parse(sessionStorage.getItem(stored) ?? "{}") as ByAi<OptionValue>
    } catch {
        return {}
    }
}

const set = signal<ByAi<OptionValue>>(restored())
/** The reasons for rejected values. */
const refused = signal<ByAi<string>>({})

export const optionsOf = (ai: string): Options => set.value[ai] ?? {}
export const refusalsOf = (ai: string): Readonly<Record<string, string>> => refused.value[ai] ?? {}

/** Sets an option of an AI; undefined resets it to its default. */
export function setOption(ai: string, name: string, value: OptionValue | undefined): void {
    const { [name]: before, ...others } = optionsOf(ai)
    keep(ai, value === undefined ? others : { ...others, [name]: value })
    refuse(ai, name, undefined)
}

/** Resets all options of an AI to their defaults. */
export function resetOptions(ai: string): void {
    keep(ai, {})
    forgetRefusals(ai)
}

/** Sets the error of an option field; undefined clears it. */
export function refuse(ai: string, name: string, words: string | undefined): void {
    const { [name]: before, ...others } = refusalsOf(ai)
    refused.value = { ...refused.value, [ai]: words === undefined ? others : { ...others, [name]: words } }
}

export function forgetRefusals(ai: string): void {
    refused.value = { ...refused.value, [ai]: {} }
}

function keep(ai: string, options: Options): void {
    set.value = { ...set.value, [ai]: options }
    sessionStorage.setItem(stored, JSON.stringify(set.value))
}
