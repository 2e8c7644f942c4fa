// A move entered while the AI thinks, which is played as soon as it is legal.

import { computed, effect, signal, untracked } from "@preact/signals"
import type { Color } from "./api"
import { atEnd, currentNode, gameNumber, legal, positionInfo } from "./game"
import type { Premove } from "./board/input"
import { isSearching, submitMove, userMayMove } from "./play"
import { aiToMove, isAiMatch, userColor } from "./players"
import { overlay } from "./view"

export const premove = signal<Premove | null>(null)

/** The side that can be premoved: the user's while the AI thinks. */
export const premoveColor = computed<Color | null>(() => {
    const isWaiting = isSearching.value && aiToMove.value !== null && !isAiMatch.value && atEnd.value
    return isWaiting && !overlay.value?.placement ? userColor.value : null
})

/** The position in which the premove was entered. */
let enteredAt: { game: number; node: number } | null = null

/** Plays the premove after the reply, or drops it if it is illegal then or something else happened. */
effect(() => {
    const [wanted, node, game, canMove] = [premove.value, currentNode.value, gameNumber.value, userMayMove.value && positionInfo.value !== null]
    if (!wanted) {
        enteredAt = null
        return
    }
    enteredAt ??= { game, node: node.id }
    if (enteredAt.game === game && enteredAt.node === node.id) return
    const isReply = enteredAt.game === game && enteredAt.node === node.parent
    if (isReply && !canMove) return
    untracked(() => {
        premove.value = null
        const moves = legal.value.filter((move) => move.from === wanted.from && move.to === wanted.to)
        // A pawn becomes a queen.
        const move = moves.find(({ promotion }) => promotion === null || promotion === "queen")
        if (isReply && move) submitMove(move).catch(() => undefined)
    })
})
