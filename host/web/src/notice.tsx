// The notice of what can be undone, and of storage that fails. It covers the page, so that nothing moves.

import { signal } from "@preact/signals"
import { closeNotice, noticedStep, undoStep } from "./steps"
import { storageProblem } from "./storage"

export const storageTexts = {
    forbidden: "This browser does not allow the page to store anything: a game is lost when its tab is closed. Export it as PGN to keep it.",
    full: "The storage of this browser is full: changes are no longer saved. Delete games under Recent, or export them as PGN.",
    blocked: "An older version of this page is open in another tab: nothing is saved until that tab is closed.",
    failed: "This browser did not save the last change. Export the game as PGN to keep it, and load this page again.",
}

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
                    <span>{isProblem ? storageTexts[problem] : step?.what}</span>
                    {!isProblem && (
                        <button type="button" onClick={undoStep} title="Ctrl Z" aria-label={`Undo: ${step?.what}`}>
                            Undo
                        </button>
                    )}
                    <button type="button" class="icon close" aria-label="Close the notice" onClick={close}>
                        ×
                    </button>
                </p>
            )}
        </div>
    )
}
