// Notices about undoable steps, which disappear after a while, and about storage failures. They
// cover only the page's header, so nothing moves and no text is hidden.

import { signal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import { closeNotice, noticedStep, undoStep } from "./steps"
import { storageProblem } from "./storage"
import { texts } from "./texts/board"

/** The storage problem whose notice the user closed. */
const closedProblem = signal<string | null>(null)

/** Long enough to read the notice and reach its button. */
const shownMs = 8000

export function Notice() {
    const [isHeld, setHeld] = useState(false)
    const [problem, step] = [storageProblem.value, noticedStep.value]
    const isProblem = problem !== null && problem !== closedProblem.value
    const close = () => (isProblem ? (closedProblem.value = problem) : closeNotice())
    useEffect(() => {
        if (!step || isHeld) return undefined
        const timer = setTimeout(closeNotice, shownMs)
        return () => clearTimeout(timer)
    }, [step, isHeld])
    return (
        <div
            class="notices"
            role="status"
            data-testid="notice-bar"
            onPointerEnter={() => setHeld(true)}
            onPointerLeave={() => setHeld(false)}
            onFocusIn={() => setHeld(true)}
            onFocusOut={() => setHeld(false)}
        >
            {(isProblem || step) && (
                <p class="notice">
                    <span>{isProblem ? texts.page.storage[problem] : step?.what}</span>
                    {!isProblem && (
                        <button
                            type="button"
                            onClick={undoStep}
                            title={texts.page.undoKey}
                            aria-label={texts.page.undoOf(step?.what ?? "")}
                        >
                            {texts.page.undo}
                        </button>
                    )}
                    <button
                        type="button"
                        class="icon close"
                        aria-label={texts.page.closeNotice}
                        onClick={close}
                    >
                        ×
                    </button>
                </p>
            )}
        </div>
    )
}
