// Player names in a match. The server identifies players by strings such as `basic1,depth=3`.

import { signal } from "@preact/signals"
import { aiName } from "./ais"
import { levelAt, levels } from "./levels"
import type { Settings } from "./players"

/** The players' settings by player text. */
export type Seats = Readonly<Record<string, Settings>>
export const seats = signal<Seats>({})

/** Returns the AI id in a player's text. */
export const aiOfText = (text: string): string => text.split(",")[0] ?? text

/** Returns the name of the level or the AI that a player's text identifies. */
function nameOf(text: string): string {
    const [ai, settings] = [aiOfText(text), seats.value[text]]
    return (settings && levels.value[levelAt(ai, settings)]?.name) ?? aiName(ai)
}

/** Returns a player's name. If an AI plays itself, the name says how each side plays. */
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
