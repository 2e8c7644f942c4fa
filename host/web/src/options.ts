// AI options that the user changed. Every request to the AI includes them, and the tab keeps them
// for its session.

import { signal } from "@preact/signals"
import { tabStorage } from "./storage"

export type OptionValue = boolean | number | string
export type Options = Readonly<Record<string, OptionValue>>
type ByAi<T> = Readonly<Record<string, Readonly<Record<string, T>>>>

const storageKey = "options"

function restore(): ByAi<OptionValue> {
    try {
        return JSON.parse(tabStorage.get(storageKey) ?? "{}") as ByAi<OptionValue>
    } catch {
        return {}
    }
}

const values = signal<ByAi<OptionValue>>(restore())
/** Why values were rejected. */
const rejections = signal<ByAi<string>>({})

export const optionsOf = (ai: string): Options => values.value[ai] ?? {}
export const rejectionsOf = (ai: string): Readonly<Record<string, string>> =>
    rejections.value[ai] ?? {}

/** Sets an option of an AI; undefined resets it to its default. */
export function setOption(ai: string, name: string, value: OptionValue | undefined): void {
    const { [name]: before, ...others } = optionsOf(ai)
    store(ai, value === undefined ? others : { ...others, [name]: value })
    rejectOption(ai, name, undefined)
}

/** Resets all options of an AI to their defaults. */
export function resetOptions(ai: string): void {
    store(ai, {})
    clearRejections(ai)
}

/** Sets the error of an option field; undefined clears it. */
export function rejectOption(ai: string, name: string, reason: string | undefined): void {
    const { [name]: before, ...others } = rejectionsOf(ai)
    rejections.value = {
        ...rejections.value,
        [ai]: reason === undefined ? others : { ...others, [name]: reason },
    }
}

export function clearRejections(ai: string): void {
    rejections.value = { ...rejections.value, [ai]: {} }
}

function store(ai: string, options: Options): void {
    values.value = { ...values.value, [ai]: options }
    tabStorage.set(storageKey, JSON.stringify(values.value))
}
