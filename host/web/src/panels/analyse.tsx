// The Analyse panel: one row with the switch, and the lines of one or several AIs.

import { effect } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { aiName, areAisKnown } from "../ais"
import {
    addToGame,
    agreement,
    chosen,
    errors,
    followPosition,
    isSearching,
    lineCount,
    mayAdd,
    mostLines,
    searches,
    shownLimit,
    switchAnalysis,
} from "../analysis"
import { isCurrent, status } from "../game"
import { KnownMoves } from "../known-moves"
import { running } from "../one-analysis"
import type { SearchProgress } from "../progress"
import { depthText, Lines, speedText } from "../search-progress"
import { switches } from "../switches"
import { arrowsOf, panelOverlay } from "../view"
import { formatScore, sanText } from "../format"
import { texts } from "../texts/board"
import { AnalysisSettings } from "./analysis-settings"

const { analysisLines: lines, analyseVisited: isOn } = switches

/** Returns an AI's progress in the current position. */
function currentProgress(id: string): SearchProgress | undefined {
    const progress = searches.value.get(id)
    return progress && isCurrent(progress.game) ? progress : undefined
}

function Switch() {
    return (
        <input
            type="checkbox"
            role="switch"
            class="switch"
            aria-label={texts.analysis.engine}
            title={texts.analysis.engine}
            checked={isOn.value}
            disabled={chosen.value.size === 0}
            onChange={(event) => switchAnalysis(event.currentTarget.checked)}
        />
    )
}

/** Buttons for fewer or more lines. */
function LineCount() {
    const now = lineCount.value
    const most = chosen.value.size > 1 ? 1 : mostLines.value
    const change = (by: number) => () => (lines.value = now + by)
    return (
        <div class="line-count" role="group" aria-label={texts.analysis.lines}>
            <button
                type="button"
                class="icon"
                aria-label={texts.analysis.fewerLines}
                title={texts.analysis.fewerLines}
                disabled={now <= 1}
                onClick={change(-1)}
            >
                −
            </button>
            <output aria-label={texts.analysis.lineCount(now)}>{now}</output>
            <button
                type="button"
                class="icon"
                aria-label={texts.analysis.moreLines}
                title={texts.analysis.moreLines}
                disabled={now >= most}
                onClick={change(1)}
            >
                +
            </button>
        </div>
    )
}

/** Another running analysis, with a button to stop it. */
function OtherAnalysis() {
    const other = running.value
    if (!other) return null
    return (
        <p class="engine-state other-analysis">
            <span role="status">{other.name()}</span>
            <button type="button" onClick={other.stop}>
                {texts.analysis.stop}
            </button>
        </p>
    )
}

/** The analysing AIs and their depth. */
function EngineState({ progress }: { progress: SearchProgress | undefined }) {
    const ids = [...chosen.value]
    const name =
        ids.length === 0
            ? texts.analysis.selectAi
            : ids.length > 1
              ? texts.analysis.ais(ids.length)
              : aiName(ids[0] ?? "")
    const isShown = isOn.value || progress !== undefined
    return (
        <div class="engine-state">
            {ids.length <= 1 && isShown && (
                <span class="score big">{progress && formatScore(progress.score)}</span>
            )}
            <span class="engine-name">
                <strong>
                    {name}
                    {isSearching.value && <span class="pulse" aria-hidden="true" />}
                </strong>
                {isShown && (
                    <span class="muted depth" title={progress && speedText(progress)}>
                        {progress ? depthText(progress, shownLimit.value) : ""}
                    </span>
                )}
            </span>
        </div>
    )
}

/** The lines of one AI. Their rows stay in place. */
function Found({ progress, id }: { progress: SearchProgress | undefined; id: string }) {
    const error = errors.value.get(id)
    const rows = lineCount.value
    if (error && !progress?.lines.length) return <p class="error-text">{error}</p>
    if (status.value && status.value.state !== "in_progress")
        return isOn.value ? <p class="hint">{texts.analysis.gameIsOver}</p> : null
    if (!progress) return isOn.value ? <div class="lines" style={{ "--rows": rows }} /> : null
    return (
        <>
            {error && <p class="error-text">{error}</p>}
            <Lines
                game={progress.game}
                lines={progress.lines}
                rows={rows}
                {...(mayAdd(progress.game)
                    ? { add: (pv: string[]) => void addToGame(progress.game, pv) }
                    : {})}
            />
        </>
    )
}

/** The row of one AI in a comparison. */
function Answer({ id }: { id: string }) {
    const progress = currentProgress(id)
    return (
        <article class="engine-answer" data-testid={progress ? `answer-${id}` : undefined}>
            <header>
                <span class="score big">{formatScore(progress?.score)}</span>
                <strong>{aiName(id)}</strong>
                {progress && !progress.done && <span class="pulse" aria-hidden="true" />}
                <span class="muted depth">{progress && depthText(progress, null)}</span>
            </header>
            <Found progress={progress} id={id} />
        </article>
    )
}

/** The row is reserved in advance, because the AIs answer soon. */
function Agreement() {
    const [first] = agreement.value
    const most = first?.ais.length ?? 0
    const isShared = most > 1 || agreement.value.length === 1
    return (
        <p class="agreement" data-testid={first && "agreement"}>
            {first &&
                (isShared
                    ? texts.analysis.agree(most, searches.value.size, sanText(first.move.san))
                    : texts.analysis.disagree)}
        </p>
    )
}

/** Draws the first move of each line. */
const drawArrows = () =>
    effect(() => {
        const found = [...searches.value.values()].filter(({ game }) => isCurrent(game))
        const most = found.length === 1 ? 4 : 1
        const firsts = found.flatMap((progress) =>
            progress.lines.slice(0, most).flatMap((line) => line.pv.slice(0, 1)),
        )
        panelOverlay.value = { arrows: arrowsOf(firsts) }
    })

export function AnalysePanel() {
    useEffect(() => {
        const stops = [drawArrows(), followPosition()]
        return () => {
            for (const stop of stops) stop()
            panelOverlay.value = null
        }
    }, [])
    const ids = [...chosen.value]
    // The list of AIs may not have arrived yet.
    const [only = ""] = ids.length === 1 ? ids : []
    const progress = currentProgress(only)
    return (
        <>
            <section class="engine" data-testid={progress ? `answer-${only}` : undefined}>
                <div class="engine-row">
                    <Switch />
                    {running.value && !isSearching.value ? (
                        <OtherAnalysis />
                    ) : (
                        <EngineState progress={progress} />
                    )}
                    <LineCount />
                </div>
                <AnalysisSettings />
                {(only || !areAisKnown.value) && <Found progress={progress} id={only} />}
                {ids.length > 1 && ids.map((id) => <Answer key={id} id={id} />)}
                {ids.length > 1 && <Agreement />}
            </section>
            <KnownMoves />
        </>
    )
}
