// A move entered while the AI thinks, or before the legal moves have arrived. It is played as soon
// as it is legal.

import { computed, effect, signal, untracked } from "@preact/signals"
import type { Color } from "./api"
import {
    atEnd,
    currentNode,
    gameNumber,
    legal,
    positionError,
    positionInfo,
    result,
    turn,
} from "./game"
import type { Premove } from "./board/input"
import { isSearching, submitMove, userMayMove } from "./play"
import { aiToMove, isAiMatch, userColor } from "./players"
import { overlay, promotion } from "./view"

export const premove = signal<Premove | null>(null)

/**
 * The side that can premove: the user's while the AI thinks, or the side to move while its legal
 * moves are loading.
 */
export const premoveColor = computed<Color | null>(() => {
    if (overlay.value?.placement) return null
    if (aiToMove.value === null)
        return positionInfo.value === null && !positionError.value && !result.value
            ? turn.value
            : null
    return isSearching.value && !isAiMatch.value && atEnd.value ? userColor.value : null
})

/** The position in which the premove was entered. */
let enteredAt: { game: number; node: number } | null = null

/**
 * Plays the premove after the reply. Drops it if it is then illegal, or if the position has changed
 * in another way.
 */
effect(() => {
    const [wanted, node, game, canMove] = [
        premove.value,
        currentNode.value,
        gameNumber.value,
        userMayMove.value && positionInfo.value !== null,
    ]
    if (!wanted) {
        enteredAt = null
        return
    }
    enteredAt ??= { game, node: node.id }
    const isSame = enteredAt.game === game && enteredAt.node === node.id
    const isExpected = isSame || (enteredAt.game === game && enteredAt.node === node.parent)
    if (isExpected && !canMove) return
    untracked(() => {
        premove.value = null
        const moves = legal.value.filter(
            (move) => move.from === wanted.from && move.to === wanted.to,
        )
        // A premoved pawn always promotes to a queen.
        const move = moves.find(({ promotion }) => promotion === null || promotion === "queen")
        if (isSame && moves.length > 1) promotion.value = moves
        else if (isExpected && move) void submitMove(move)
    })
})
