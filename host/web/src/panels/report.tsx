// The Report panel: accuracy, and the inaccuracies, mistakes and blunders.

import { effect } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Claim, Color, MoveReport } from "../api"
import { drawingsOf } from "../claim-drawings"
import { claimText } from "../claims"
import { CopyCurl } from "../curl"
import { AiSelect, LimitField } from "../fields"
import { cursor, gameForm, goTo, line, plies, tree, turnAfter } from "../game"
import { learnFromReport } from "../learn"
import { learnLabel } from "../learn-texts"
import { moveLabel } from "../moves"
import { AiOptions } from "../option-fields"
import { moveNumber, PvLine } from "../preview"
import {
    analyseGame,
    isVariation,
    moveReports,
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
import { colorName, fixed, formatTime, sanText } from "../format"
import { texts } from "../texts/board"

const { reportBy: chosen, reportLimit: limit } = switches

const kinds = [
    { judgement: "inaccuracy", glyph: "?!" },
    { judgement: "mistake", glyph: "?" },
    { judgement: "blunder", glyph: "??" },
] as const

function SideReport({ color }: { color: Color }) {
    const own = [...moveReports.value.values()].filter(
        (entry) => turnAfter(entry.ply - 1) === color,
    )
    const accuracy = report.value?.accuracy[color]
    return (
        <article class="card side-report">
            <header>
                <strong>{colorName(color)}</strong>
                <span class="accuracy">
                    <span class="score big">
                        {accuracy === null || accuracy === undefined
                            ? "–"
                            : `${fixed(accuracy, 1)} %`}
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
            {report.value && (
                <button type="button" class="learn" onClick={() => learnFromReport(color)}>
                    {learnLabel(color)}
                </button>
            )}
        </article>
    )
}

/** What is claimed of a move, with the line that proves it. */
function ClaimText({ ply, claim }: { ply: number; claim: Claim }) {
    const shown = Math.max(1, claim.after)
    const [pv, san] = [claim.line.slice(0, shown), claim.san.slice(0, shown)]
    return (
        <span class="claim">
            {claimText(claim)}
            {pv.length > 0 && ": "}
            <PvLine game={gameForm(claim.start === "after" ? ply : ply - 1)} pv={pv} san={san} />
        </span>
    )
}

function ReportedMove({ entry }: { entry: MoveReport }) {
    return (
        <li>
            <button type="button" class="link" onClick={() => goTo(entry.ply)}>
                {moveNumber(entry.ply - 1, true)} {sanText(entry.move.san)}
                <b class={entry.judgement ?? ""}>{entry.glyph}</b>
            </button>
            {entry.judgement && <span class="muted">−{fixed(entry.loss ?? 0, 1)} %</span>}
            {entry.opening && <span class="muted">{texts.report.theory(entry.opening.name)}</span>}
            {entry.claims.map((claim) => (
                <ClaimText key={claim.text} ply={entry.ply} claim={claim} />
            ))}
            {entry.best && entry.best.move.uci !== entry.move.uci && (
                <span class="best-move">
                    {texts.report.best}{" "}
                    <PvLine
                        game={gameForm(entry.ply - 1)}
                        pv={entry.best.pv}
                        san={entry.best.san}
                    />
                </span>
            )}
        </li>
    )
}

function ReportedMoves({ title, entries }: { title: string; entries: MoveReport[] }) {
    if (entries.length === 0) return null
    return (
        <section aria-label={title}>
            <h2 class="label">{title}</h2>
            <ol class="bad-moves">
                {entries.map((entry) => (
                    <ReportedMove key={entry.ply} entry={entry} />
                ))}
            </ol>
        </section>
    )
}

/** Returns the number of positions of a report, with its estimated time if the limit is a time. */
function duration(): string {
    const positions = lineThrough(tree.value, rootId).length
    const ms = limit.value && "movetime_ms" in limit.value ? limit.value.movetime_ms : null
    if (ms === null) return texts.report.positions(positions)
    return texts.report.duration(formatTime(positions * ms), positions)
}

/** Names the line of the report, if it is not simply that of the game on the board. */
function about(): string {
    const end = reportEnd.value
    if (end === null || !tree.value.has(end)) return ""
    const start = variationStart(tree.value, end)
    if (start !== null) return texts.report.ofVariation(moveLabel(start))
    return isVariation.value ? texts.report.ofGame : ""
}

const maxKeyMoments = 5

export function ReportPanel() {
    const ai = reportAi.value
    const now = progress.value
    const badMoves = [...moveReports.value.values()]
        .filter((entry) => entry.judgement)
        .sort((a, b) => (b.loss ?? 0) - (a.loss ?? 0))
    const [keyMoments, others] = [
        badMoves.slice(0, maxKeyMoments),
        badMoves.slice(maxKeyMoments).sort((a, b) => a.ply - b.ply),
    ]
    const current = moveReports.value.get(cursor.value)
    // A bad move is in the lists.
    const goodMove = current && !current.judgement && current.claims.length > 0 ? [current] : []
    useEffect(() => {
        const stop = effect(() => {
            const entry = moveReports.value.get(cursor.value)
            panelOverlay.value = entry ? drawingsOf(entry) : { arrows: [] }
        })
        return () => {
            stop()
            panelOverlay.value = null
        }
    }, [])
    if (plies.value.length === 0) {
        return <p class="hint">{texts.report.noMoves}</p>
    }
    return (
        <>
            <div class="fields">
                <AiSelect label={texts.ais.ai} value={ai} change={(id) => (chosen.value = id)} />
                <LimitField
                    of={[ai]}
                    value={limit.value}
                    change={(value) => (limit.value = value)}
                />
            </div>
            <AiOptions id={ai} />
            <div class="buttons">
                {now ? (
                    <button type="button" class="primary" onClick={stopReport}>
                        {texts.report.stop}
                    </button>
                ) : (
                    <button
                        type="button"
                        class="primary"
                        onClick={() => void reviewGame()}
                        disabled={!ai}
                    >
                        {texts.page.review}
                    </button>
                )}
                {!now && isVariation.value && (
                    <button
                        type="button"
                        onClick={() => void analyseGame(ai, limit.value, line.value)}
                        disabled={!ai}
                    >
                        {texts.report.reviewVariation}
                    </button>
                )}
            </div>
            {!now && <p class="hint">{duration()}</p>}
            {now && (
                <label class="progress">
                    <span>{texts.report.progress(now.done, now.of)}</span>
                    <progress max={Math.max(1, now.of)} value={now.done} />
                </label>
            )}
            {about() && (
                <p class="hint" role="status" data-testid="report-about">
                    {about()}
                </p>
            )}
            {reportError.value && <p class="error-text">{reportError.value}</p>}
            {moveReports.value.size > 0 && (
                <>
                    <div class="cards two">
                        <SideReport color="white" />
                        <SideReport color="black" />
                    </div>
                    {report.value && badMoves.length === 0 && (
                        <p class="hint">{texts.report.none}</p>
                    )}
                    <ReportedMoves title={texts.report.keyMoments} entries={keyMoments} />
                    <ReportedMoves title={texts.report.others} entries={others} />
                    <ReportedMoves title={texts.report.thisMove} entries={goodMove} />
                    <CopyCurl answer={report.value} />
                    <details class="explained">
                        <summary>{texts.report.classified}</summary>
                        <p>{texts.report.explained}</p>
                    </details>
                </>
            )}
        </>
    )
}
