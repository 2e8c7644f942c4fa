// The move list on a phone. A button or a swipe opens it over the lower half of the screen.

import { signal } from "@preact/signals"

/** Whether the moves cover the lower half of a phone's screen. */
export const areMovesOpen = signal(false)

/** The minimum length of a swipe. */
const leastPx = 40
/** Elements that scroll or take text themselves. */
const own = "input, textarea, .menu-items"

/**
 * Opens the moves with a swipe up and closes them with a swipe down. The element must be fixed to
 * the screen: otherwise a swipe scrolls the page. Returns a function that stops listening.
 */
export function listenToSwipes(element: HTMLElement | null): () => void {
    let start: Touch | null = null
    const onStart = ({ touches, target }: TouchEvent) => {
        const [list, isOwn] = [
            (target as Element).closest(".moves"),
            (target as Element).closest(own),
        ]
        // A scrolled list first returns to its top.
        const isFree =
            element !== null &&
            getComputedStyle(element).position === "fixed" &&
            !isOwn &&
            !list?.scrollTop
        start = isFree && touches.length === 1 ? (touches[0] ?? null) : null
    }
    const onEnd = ({ changedTouches: [touch] }: TouchEvent) => {
        if (!start || touch?.identifier !== start.identifier) return
        const [x, y] = [touch.clientX - start.clientX, touch.clientY - start.clientY]
        start = null
        if (Math.abs(y) >= leastPx && Math.abs(y) > 2 * Math.abs(x)) areMovesOpen.value = y < 0
    }
    const onCancel = () => {
        start = null
    }
    const listeners = [
        ["touchstart", onStart],
        ["touchend", onEnd],
        ["touchcancel", onCancel],
    ] as const
    for (const [name, listener] of listeners)
        element?.addEventListener(name, listener as EventListener, { passive: true })
    return () => {
        for (const [name, listener] of listeners)
            element?.removeEventListener(name, listener as EventListener)
    }
}
