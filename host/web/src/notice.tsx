// The notice of what can be undone, and of storage that fails. It covers the page, so that nothing
// moves.

import { signal } from "@preact/signals"
import { closeNotice, noticedStep, undoStep } from "./steps"
import { storageProblem } from "./storage"
import { texts } from "./texts/board"

/** The problem whose notice the user closed. */
const closedProblem = signal<string | null>(null)

export function Notice() {
    const [problem, step] = [storageProblem.value, noticedStep.value]
    const isProblem = problem !== null && problem !== closedProblem.value
    const close = () => (isProblem ? (closedProblem.value = problem) : closeNotice())
    return (
        <div class="notices" role="status" data-testid="notice-bar">
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
