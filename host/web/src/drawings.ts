// The user's arrows and circles. The game and its PGN keep the drawings
// on its positions.

import { computed, signal } from "@preact/signals"
import { annotate, currentId, currentNode } from "./game"
import { addStep } from "./steps"
import { texts } from "./texts/board"
import type { Shape } from "./tree"
import { overlay } from "./view"

/** Drawings on other positions, for example in a search tree or the editor. */
const scratch = signal<{ placement: string; shapes: readonly Shape[] }>({
    placement: "",
    shapes: [],
})

export const drawings = computed<readonly Shape[]>(() => {
    const placement = overlay.value?.placement
    if (placement === undefined) return currentNode.value.shapes ?? []
    return scratch.value.placement === placement ? scratch.value.shapes : []
})

function setDrawings(shapes: readonly Shape[]): void {
    const placement = overlay.peek()?.placement
    if (placement === undefined) annotate(currentId.peek(), { shapes })
    else scratch.value = { placement, shapes }
}

/** Draws a shape, or removes an existing one of the same colour. */
export function toggleDrawing(shape: Shape): void {
    const before = drawings.peek()
    const others = before.filter(({ from, to }) => from !== shape.from || to !== shape.to)
    const isKnown = before.some(
        ({ from, to, color }) => from === shape.from && to === shape.to && color === shape.color,
    )
    setDrawings(isKnown ? others : [...others, shape])
}

export function clearDrawings(): void {
    const before = drawings.peek()
    if (before.length === 0) return
    const id = currentId.peek()
    const isOfGame = overlay.peek()?.placement === undefined
    setDrawings([])
    if (isOfGame) addStep(texts.page.drawingsRemoved, () => annotate(id, { shapes: before }))
}
