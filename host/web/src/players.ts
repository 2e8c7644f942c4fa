// The players of both sides.

import { computed, signal } from "@preact/signals"
import type { Color, Limit } from "./api"
import { plies, turn, turnAfter } from "./game"
import type { Options } from "./options"

/** The user, or an AI by its id. */
export type Player = "you" | { ai: string }

export const players = signal<Record<Color, Player>>({ white: "you", black: "you" })
/** An AI's settings for a side. */
export interface Settings {
    /** The search limit; null means the AI's default. */
    limit: Limit | null
    /** The options of a level. They override the user's options for the AI. */
    options: Options
}

const defaults: Settings = { limit: null, options: {} }
export const playersSettings = signal<Record<Color, Settings>>({ white: defaults, black: defaults })

/** Whether the user plays both sides. */
export const userPlaysBoth = computed(
    () => players.value.white === "you" && players.value.black === "you",
)
export const isAiMatch = computed(
    () => players.value.white !== "you" && players.value.black !== "you",
)

export const aiOf = (color: Color): string | null => {
    const player = players.value[color]
    return player === "you" ? null : player.ai
}

export const aiToMove = computed(() => aiOf(turn.value))
/** The AI to move at the end of the current line. */
export const aiToMoveAtEnd = computed(() => aiOf(turnAfter(plies.value.length)))
/** The user's side: Black only if an AI plays White and the user plays Black. */
export const userColor = computed<Color>(() =>
    players.value.white !== "you" && players.value.black === "you" ? "black" : "white",
)

export const isSamePlayer = (a: Player, b: Player): boolean =>
    a === b || (a !== "you" && b !== "you" && a.ai === b.ai)

export function setSettings(color: Color, { limit, options }: Settings): void {
    playersSettings.value = { ...playersSettings.value, [color]: { limit, options } }
}

export const limitOf = (color: Color): Limit | null => playersSettings.value[color].limit

export function setLimit(color: Color, limit: Limit | null): void {
    setSettings(color, { ...playersSettings.value[color], limit })
}

/** Lets the user's value of an option override the level's. */
export function releaseOption(ai: string, name: string): void {
    for (const color of ["white", "black"] as const) {
        const { limit, options } = playersSettings.value[color]
        if (aiOf(color) !== ai || !(name in options)) continue
        const { [name]: released, ...others } = options
        setSettings(color, { limit, options: others })
    }
}
