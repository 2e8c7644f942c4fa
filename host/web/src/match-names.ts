// The names of the players of a match, which the server knows by texts such as `basic1,depth=3`.

import { signal } from "@preact/signals"
import { aiName } from "./ais"
import { levelAt, levels } from "./levels"
import type { Settings } from "./players"

/** The settings of the players, by their texts. */
export type Seats = Readonly<Record<string, Settings>>
export const seats = signal<Seats>({})

/** The id of the AI in the text of a player. */
export const aiOfText = (text: string): string => text.split(",")[0] ?? text

/** Returns the level or the AI that the text of a player has. */
function nameOf(text: string): string {
    const [ai, settings] = [aiOfText(text), seats.value[text]]
    return (settings && levels.value[levelAt(ai, settings)]?.name) ?? aiName(ai)
}

/** Returns the name of a player; that of an AI which plays itself says how it plays. */
export function seatName(text: string, both: readonly string[]): string {
    const [first, second] = both
    if (
        first === second ||
        both.some((other) => other !== text && nameOf(other) === nameOf(text))
    ) {
        const settings = text.split(",").slice(1).join(", ").replaceAll("=", " ")
        return settings ? `${nameOf(text)} (${settings})` : nameOf(text)
    }
    return nameOf(text)
}
