// When the focused element disappears, for example in a deleted row or a closed panel, moves the
// focus near it. Otherwise Tab would restart at the top of the page.

const focusable = "a[href], button:not(:disabled), summary, [tabindex='0']"

/** The focused element with its ancestors, and the index of each in its parent. */
let path: { element: Element; index: number }[] = []
/** Focus set by the pointer is not restored, because it could open a phone's keyboard. */
let isByPointer = false

const indexOf = (element: Element) => [...(element.parentElement?.children ?? [])].indexOf(element)

function remember({ target }: FocusEvent): void {
    path = []
    for (let at = target as Element | null; at && at !== document.body; at = at.parentElement)
        path.push({ element: at, index: indexOf(at) })
}

const isGone = (element: Element) => !element.isConnected || element.matches(":disabled")

/** Focus that the user moved is not restored. */
function forget({ target }: FocusEvent): void {
    queueMicrotask(() => {
        const isLeft = document.activeElement === document.body && !isGone(target as Element)
        if (isLeft) path = []
    })
}

const isShown = (element: Element): boolean => element.checkVisibility()

/** Returns the focusable child of an element at, after or before an index. */
function nearIn(parent: Element, index: number): HTMLElement | undefined {
    const children = [...parent.children]
    const inside = (child: Element) =>
        [child, ...child.querySelectorAll(focusable)].filter(
            (element): element is HTMLElement => element.matches(focusable) && isShown(element),
        )
    return (
        children.slice(index).flatMap(inside)[0] ??
        children.slice(0, index).toReversed().flatMap(inside)[0]
    )
}

function restore(): void {
    const [focused] = path
    if (!focused || isByPointer || document.activeElement !== document.body) return
    if (!isGone(focused.element)) return
    const kept = path.findIndex(({ element }) => element.isConnected)
    for (let at = Math.max(kept, 1); at < path.length; at += 1) {
        const [parent, child] = [path[at]?.element, path[at - 1]]
        const found = parent && child && nearIn(parent, child.index)
        if (found) return found.focus()
    }
}

/** Starts restoring lost focus. Returns a function that stops it. */
export function keepFocus(): () => void {
    const stop = new AbortController()
    const { signal } = stop
    addEventListener("focusin", remember, { signal })
    addEventListener("focusout", forget, { signal })
    addEventListener("pointerdown", () => (isByPointer = true), { signal, capture: true })
    addEventListener("keydown", () => (isByPointer = false), { signal, capture: true })
    const observer = new MutationObserver(restore)
    observer.observe(document.body, {
        subtree: true,
        childList: true,
        attributeFilter: ["disabled"],
    })
    return () => {
        stop.abort()
        observer.disconnect()
    }
}
