// Keyboard shortcuts of the whole page.

import { cursor, goTo, goToSibling, plies, tree } from "./game"
import { closeInspection } from "./inspect"
import { endLesson } from "./learn"
import { typeMove } from "./moves"
import { openSettings } from "./settings"
import { lastStep, undoStep } from "./steps"
import { flip, imagined, inspected } from "./view"

const hasVariations = () => [...tree.value.values()].some(({ children }) => children.length > 1)

/** Closes the topmost layer on the board: the inspection, the position of a line, or a lesson. */
export function leave(): void {
    if (inspected.peek().length > 0) closeInspection()
    else if (imagined.peek()) imagined.value = null
    else endLesson()
}

/** Ignores keys in form fields and widgets with their own keys. */
export function onKeyDown(event: KeyboardEvent): void {
    const target = event.target as Element
    const isField = target.closest("input, textarea, select, dialog")
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !isField && lastStep.value) {
        event.preventDefault()
        return undoStep()
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (
        target.closest(
            "input, textarea, select, dialog, [role=tree], [role=tablist], [role=application]",
        )
    )
        return
    const keys: Record<string, () => void> = {
        ArrowLeft: () => goTo(cursor.value - 1),
        ArrowRight: () => goTo(cursor.value + 1),
        ArrowUp: () => goToSibling(-1),
        ArrowDown: () => goToSibling(1),
        Home: () => goTo(0),
        End: () => goTo(plies.value.length),
        f: flip,
        // If the key puts down a piece, the lesson stays open.
        Escape: event.defaultPrevented ? closeInspection : leave,
        "?": () => openSettings("shortcuts"),
        ...(target === document.body ? { Enter: typeMove } : {}),
    }
    const act = keys[event.key]
    if (!act) return
    // If the game has no variations, these keys scroll the page.
    if (event.key.startsWith("Arrow") && /Up|Down/.test(event.key) && !hasVariations()) return
    event.preventDefault()
    act()
}
