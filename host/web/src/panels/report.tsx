// The Review panel: where the game turned, the graph, and the accuracy of each side.

import { effect, untracked } from "@preact/signals"
import { useEffect, useId, useState } from "preact/hooks"
import { aiName } from "../ais"
import type { Color } from "../api"
import { drawingsOf } from "../claim-drawings"
import { CopyCurl } from "../curl"
import { AiSelect, LimitField } from "../fields"
import { cursor, gameNumber, line, plies, tree, turnAfter } from "../game"
import { Graph } from "../graph"
import { gear, Icon } from "../icon"
import { learnFromReport } from "../learn"
import { moveLabel } from "../move-label"
import { AiOptions } from "../option-fields"
import {
    analyseGame,
    beginReview,
    isReviewed,
    isVariation,
    moveReports,
    reported,
    progress,
    report,
    reportAi,
    reportEnd,
    reportError,
    reviewGame,
    stopReport,
} from "../report"
import { switches } from "../switches"
import { lineThrough, rootId, variationStart } from "../tree"
import { panelOverlay } from "../view"
import { isRestoring } from "../work"
import { MomentStrip } from "./moments"
import { colorName, fixed, formatTime } from "../format"
import { hasGraph } from "../scores"
import { texts } from "../texts/board"
import { common } from "../texts/common"

const { reportBy: chosen, reportLimit: limit } = switches

const kinds = [
    { judgement: "inaccuracy", glyph: "?!" },
    { judgement: "mistake", glyph: "?" },
    { judgement: "blunder", glyph: "??" },
] as const

/** The accuracy and the bad moves of a side. Its size does not change during a review. */
function SideReport({ color }: { color: Color }) {
    const own = reported.value.filter((entry) => turnAfter(entry.ply - 1) === color)
    const accuracy = report.value?.accuracy[color]
    return (
        <article class="card side-report">
            <header>
                <strong>{colorName(color)}</strong>
                <span class="accuracy">
                    <span class="score big">
                        {accuracy === null || accuracy === undefined
                            ? "–"
                            : common.percent(fixed(accuracy, 1))}
                    </span>
                    <span class="muted">{texts.report.accuracy}</span>
                </span>
            </header>
            <dl class="figures">
                {kinds.map(({ judgement, glyph }) => (
                    <div key={judgement}>
                        <dt>{texts.report.plurals[judgement]}</dt>
                        <dd class={judgement}>
                            {glyph} {own.filter((entry) => entry.judgement === judgement).length}
                        </dd>
                    </div>
                ))}
            </dl>
            <button
                type="button"
                class="learn"
                disabled={!report.value}
                onClick={() => learnFromReport(color)}
            >
                {texts.lesson.learn(color)}
            </button>
        </article>
    )
}

/**
 * Returns the number of positions in a review, with an estimated duration if the limit is a time.
 */
function duration(): string {
    const positions = lineThrough(tree.value, rootId).length
    const ms = limit.value && "movetime_ms" in limit.value ? limit.value.movetime_ms : null
    if (ms === null) return texts.report.positions(positions)
    return texts.report.duration(formatTime(positions * ms), positions)
}

/** Names the reviewed line, unless it is the game on the board. */
function about(): string {
    const end = reportEnd.value
    if (end === null || !tree.value.has(end)) return ""
    const start = variationStart(tree.value, end)
    if (start !== null) return texts.report.ofVariation(moveLabel(start))
    return isVariation.value ? texts.report.ofGame : ""
}

/** The AI and the limit of the review. */
function ReviewSettings({ id }: { id: string }) {
    const ai = reportAi.value
    return (
        <div class="review-settings card" id={id}>
            <div class="fields">
                <AiSelect label={texts.ais.ai} value={ai} change={(id) => (chosen.value = id)} />
                <LimitField
                    of={[ai]}
                    value={limit.value}
                    change={(value) => (limit.value = value)}
                />
            </div>
            <AiOptions id={ai} />
            <p class="hint">{duration()}</p>
            {isReviewed.value && (
                <div class="buttons">
                    <button type="button" onClick={() => void reviewGame()}>
                        {texts.report.again}
                    </button>
                    <CopyCurl answer={report.value} />
                </div>
            )}
        </div>
    )
}

/** The progress of the review, or the AI that made it. */
function ReviewState() {
    const now = progress.value
    if (now)
        return (
            <>
                <button type="button" class="stop" onClick={stopReport}>
                    {texts.report.stop(now.done, now.of)}
                </button>
                <progress
                    aria-label={texts.report.progress(now.done, now.of)}
                    max={Math.max(1, now.of)}
                    value={now.done}
                />
            </>
        )
    if (report.value && isReviewed.value)
        return <p class="muted">{texts.report.by(aiName(report.value.ai.id))}</p>
    return (
        <button
            type="button"
            class="primary"
            onClick={() => void reviewGame()}
            disabled={!reportAi.value}
        >
            {texts.page.review}
        </button>
    )
}

function ReviewHead() {
    const [isUnfolded, setUnfolded] = useState(false)
    const settings = useId()
    return (
        <>
            <div class="review-head">
                <ReviewState />
                <button
                    type="button"
                    class="icon"
                    aria-label={texts.report.settings}
                    title={texts.report.settings}
                    aria-expanded={isUnfolded}
                    aria-controls={settings}
                    onClick={() => setUnfolded(!isUnfolded)}
                >
                    <Icon path={gear} />
                </button>
            </div>
            {isUnfolded && <ReviewSettings id={settings} />}
        </>
    )
}

/** Names the reviewed line while the board shows another one. */
function About() {
    const words = about()
    const mayReview = !progress.value && isVariation.value
    if (!words && !mayReview) return null
    return (
        <div class="buttons">
            <p class="hint" role="status" data-testid="report-about">
                {words}
            </p>
            {mayReview && (
                <button
                    type="button"
                    onClick={() => void analyseGame(reportAi.value, limit.value, line.value)}
                    disabled={!reportAi.value}
                >
                    {texts.report.reviewVariation}
                </button>
            )}
        </div>
    )
}

/** Starts the review of a game that has none, and draws the claims of the current move. */
function useReview(): void {
    useEffect(() => {
        const stops = [
            effect(() => {
                void gameNumber.value
                // A game being restored may include its review.
                if (!isRestoring.value && reportAi.value) untracked(beginReview)
            }),
            effect(() => {
                const entry = moveReports.value.get(cursor.value)
                panelOverlay.value = entry ? drawingsOf(entry) : { arrows: [] }
            }),
        ]
        return () => {
            for (const stop of stops) stop()
            panelOverlay.value = null
        }
    }, [])
}

export function ReportPanel() {
    useReview()
    if (plies.value.length === 0) return <p class="hint">{texts.report.noMoves}</p>
    const hasBegun = progress.value !== null || reported.value.length > 0
    return (
        <div class="review">
            <ReviewHead />
            {reportError.value && <p class="error-text">{reportError.value}</p>}
            <About />
            {hasBegun && (
                <>
                    <MomentStrip />
                    {hasGraph.value ? (
                        <Graph />
                    ) : (
                        <p class="graph empty">{texts.game.graphEmpty}</p>
                    )}
                    <div class="cards two">
                        <SideReport color="white" />
                        <SideReport color="black" />
                    </div>
                </>
            )}
        </div>
    )
}
