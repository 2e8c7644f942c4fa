// The players of both sides.

import { computed, signal } from "@preact/signals"
import type { Color, Limit } from "./api"
import { plies, turn, turnAfter } from "./game"

/** The user, or an AI by its id. */
export type Player = "you" | { ai: string }

export const players = signal<Record<Color, Player>>({ white: "you", black: "you" })
/** The search limits of AI players; null selects the AI's default. */
export const limits = signal<Record<Color, Limit | null>>({ white: null, black: null })

/** Whether the user plays both sides. */
export const userPlaysBoth = computed(() => players.value.white === "you" && players.value.black === "you")
export const isAiMatch = computed(() => players.value.white !== "you" && players.value.black !== "you")

export const aiOf = (color: Color): string | null => {
    const player = players.value[color]
    return player === "you" ? null : player.ai
}

export const aiToMove = computed(() => aiOf(turn.value))
/** The AI to move at the end of the current line. */
export const aiToMoveAtEnd = computed(() => aiOf(turnAfter(plies.value.length)))
/** The user's side: Black only if an AI plays White. */
export const userColor = computed<Color>(() => (players.value.white !== "you" && players.value.black === "you" ? "black" : "white"))

export const isSamePlayer = (a: Player, b: Player): boolean => a === b || (a !== "you" && b !== "you" && a.ai === b.ai)

export function setLimit(color: Color, limit: Limit | null): void {
    limits.value = { ...limits.value, [color]: limit }
}
