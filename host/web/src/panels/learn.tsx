// The card of a lesson, above the moves.

import { useEffect, useRef } from "preact/hooks"
import { sanText } from "../format"
import { startFen, tree } from "../game"
import {
    endLesson,
    goToMoment,
    isAtMoment,
    lesson,
    moment,
    next,
    showSolution,
    startAgain,
} from "../learn"
import type { Moment } from "../learn"
import { moveLabel } from "../move-label"
import { PvLine } from "../preview"
import { texts } from "../texts/board"
import { nodeOf, pathTo } from "../tree"

const isSolved = () =>
    lesson.value?.attempt.kind === "right" || lesson.value?.attempt.kind === "shown"

/** Returns the feedback on the user's last move. */
function feedback({ entry }: Moment): string {
    const attempt = lesson.value?.attempt
    switch (attempt?.kind) {
        case "checking":
            return texts.lesson.checking
        case "played":
            return texts.lesson.played(sanText(attempt.san))
        case "wrong":
            return texts.lesson.wrong(sanText(attempt.san), attempt.judgement)
        case "right":
            return attempt.isBest
                ? texts.lesson.best(sanText(attempt.san))
                : texts.lesson.good(sanText(attempt.san), sanText(entry.best.move.san))
        case "failed":
            return attempt.message
        case "shown":
            return texts.lesson.solution(sanText(entry.best.move.san))
        default:
            return ""
    }
}

function Solution({ before, entry: { best } }: Moment) {
    const moves = pathTo(tree.value, before)
        .slice(1)
        .map((id) => nodeOf(tree.value, id).uci)
    return isSolved() ? (
        <PvLine game={{ fen: startFen.value, moves }} pv={best.pv} san={best.san} />
    ) : null
}

/** A moment: what went wrong, and the user's attempt. */
function Exercise({ now }: { now: Moment }) {
    const primary = useRef<HTMLButtonElement>(null)
    const { at = 0, moments } = lesson.value ?? {}
    const isLast = at + 1 === moments?.length
    return (
        <>
            <div role="status" aria-atomic="false" data-testid="lesson">
                <p>{texts.lesson.question(moveLabel(now.played), now.entry.judgement)}</p>
                <p class="feedback">{isAtMoment.value ? feedback(now) : texts.lesson.elsewhere}</p>
            </div>
            <p class="solution">
                <Solution {...now} />
            </p>
            <div class="buttons">
                {isAtMoment.value ? (
                    <button
                        type="button"
                        disabled={isSolved()}
                        onClick={() => {
                            showSolution()
                            primary.current?.focus()
                        }}
                    >
                        {texts.lesson.show}
                    </button>
                ) : (
                    <button type="button" onClick={goToMoment}>
                        {texts.lesson.goBack}
                    </button>
                )}
                <button
                    type="button"
                    ref={primary}
                    class={isSolved() ? "primary" : ""}
                    onClick={next}
                >
                    {isLast ? texts.lesson.finish : texts.lesson.next}
                </button>
                <EndButton />
            </div>
        </>
    )
}

function EndButton() {
    return (
        <button type="button" onClick={() => endLesson()}>
            {texts.lesson.end}
        </button>
    )
}

function Summary({ of }: { of: number }) {
    const { color = "white", found } = lesson.value ?? {}
    return (
        <>
            <p role="status" data-testid="lesson">
                {of === 0 ? texts.lesson.none(color) : texts.lesson.summary(found?.size ?? 0, of)}
            </p>
            <div class="buttons">
                {of > 0 && (
                    <button type="button" onClick={startAgain}>
                        {texts.lesson.again}
                    </button>
                )}
                <EndButton />
            </div>
        </>
    )
}

export function LearnPanel() {
    const section = useRef<HTMLElement>(null)
    const now = lesson.value
    const isExercise = moment.value !== null
    // The button that had the focus is gone.
    useEffect(() => {
        section.current?.focus({ preventScroll: true })
        document.querySelector(".stage")?.scrollIntoView({ block: "nearest" })
    }, [now?.moments, isExercise])
    if (!now) return null
    const of = now.moments.length
    return (
        <section
            class="card lesson"
            ref={section}
            tabIndex={-1}
            aria-label={texts.lesson.learn(now.color)}
        >
            {moment.value && <p class="muted">{texts.lesson.step(now.at + 1, of)}</p>}
            {moment.value ? <Exercise now={moment.value} /> : <Summary of={of} />}
        </section>
    )
}
