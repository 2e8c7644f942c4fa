// The Analyse panel: analyses of the current position by one or several AIs, and their agreement.

import { effect, untracked } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { aiName, ais } from "../ais"
import {
    activeRequest,
    addToGame,
    agreement,
    analyse,
    analyseIfNew,
    chosen,
    errors,
    isEndless,
    lastReply,
    mayAdd,
    searches,
    stop,
    toggle,
} from "../analysis"
import { CopyCurl } from "../curl"
import { DraftInput, LimitField, StateDot } from "../fields"
import { gameForm, goToNode, isCurrent, nodeAfter, plies, status } from "../game"
import { compareGame, comparisonError, progress, stopComparison } from "../game-comparison"
import { KnownMoves } from "../known-moves"
import { moveLabel } from "../moves"
import { AiOptions } from "../option-fields"
import { optionsOf } from "../options"
import { newProgress } from "../progress"
import type { SearchProgress } from "../progress"
import { Figures, Lines } from "../search-progress"
import { switches } from "../switches"
import { rootId } from "../tree"
import { arrowsOf, panelOverlay } from "../view"
import { formatScore, sanText } from "../format"
import { texts } from "../texts/board"

const { analysisLimit: limit, analysisLines: lines, analyseVisited: isAutomatic } = switches

/** Returns the analysed position, if it is not the current one. */
function otherPosition(): number | null {
    const [progress] = searches.value.values()
    return !progress || isCurrent(progress.game) ? null : nodeAfter(progress.game)
}

/** Says what the answers are about, in a place of its own, so that nothing moves. */
function Note({ isOver }: { isOver: boolean }) {
    const node = otherPosition()
    if (node !== null) return <AnalysedPosition node={node} />
    if (isOver) return <p class="hint">{texts.analysis.gameIsOver}</p>
    if (agreement.value.length > 0) return <Agreement />
    const isMissing = searches.value.size === 0 || chosen.value.size === 0
    return isMissing ? <p class="hint">{texts.analysis.select}</p> : null
}

function AnalysedPosition({ node }: { node: number }) {
    return (
        <p class="about">
            <span class="muted">
                {node === rootId
                    ? texts.analysis.ofStart
                    : texts.analysis.ofPosition(moveLabel(node))}
            </span>
            <button type="button" class="link" onClick={() => goToNode(node)}>
                {texts.analysis.goToPosition}
            </button>
        </p>
    )
}

function Agreement() {
    const [first] = agreement.value
    const total = searches.value.size
    const most = first?.ais.length ?? 0
    const isShared = most > 1 || agreement.value.length === 1
    const text = isShared
        ? texts.analysis.agree(most, total, first && sanText(first.move.san))
        : texts.analysis.disagree
    return (
        <section class="agreement" data-testid="agreement" aria-label={texts.analysis.agreement}>
            <p>{text}</p>
        </section>
    )
}

/** The card of an AI; without its progress the AI was not asked yet. */
function Card({
    id,
    progress = newProgress(id, gameForm()),
    isAsked,
    rows,
}: {
    id: string
    progress?: SearchProgress | undefined
    isAsked: boolean
    rows: number
}) {
    const error = errors.value.get(id)
    return (
        <article class="card" data-testid={isAsked ? `answer-${id}` : undefined}>
            <header>
                <strong>{aiName(id)}</strong>
                {isAsked && !progress.done && <span class="pulse" aria-hidden="true" />}
                <span class="score big">{formatScore(progress.score)}</span>
            </header>
            {error ? (
                <p class="error-text">{error}</p>
            ) : (
                <>
                    <Figures {...progress} />
                    <Lines
                        game={progress.game}
                        lines={progress.lines}
                        rows={rows}
                        {...(mayAdd(progress.game)
                            ? { add: (pv: string[]) => void addToGame(progress.game, pv) }
                            : {})}
                    />
                </>
            )}
        </article>
    )
}

/** The options of the chosen AIs; those of several are folded into one. */
function ChosenOptions() {
    const forms = [...chosen.value].map((id) => <AiOptions key={id} id={id} />)
    if (forms.length < 2) return <>{forms}</>
    return (
        <details class="technical">
            <summary>{texts.analysis.options}</summary>
            {forms}
        </details>
    )
}

/** Draws one line for each chosen AI into the graph of the game. */
function GameComparison() {
    const now = progress.value
    if (chosen.value.size < 2 || plies.value.length === 0) return null
    return (
        <>
            {now ? (
                <button type="button" onClick={stopComparison}>
                    {texts.analysis.stopComparison(now.done, now.of)}
                </button>
            ) : (
                <button
                    type="button"
                    onClick={() => void compareGame([...chosen.value], limit.value)}
                >
                    {texts.analysis.compareGame}
                </button>
            )}
            {comparisonError.value && <p class="error-text">{comparisonError.value}</p>}
        </>
    )
}

/** Who analyses, how long and with how many lines. */
function AnalysisSettings({ most }: { most: number }) {
    const names = [...chosen.value].map(aiName)
    return (
        <details
            class="technical"
            data-testid="analysis-settings"
            open={switches.analysisOpen.value}
            onToggle={(event) => (switches.analysisOpen.value = event.currentTarget.open)}
        >
            <summary>
                {names.length > 0 ? texts.analysis.with(names.join(", ")) : texts.analysis.selectAi}
            </summary>
            <div class="technical-body">
                <fieldset class="choices">
                    <legend>{texts.analysis.analyseWith}</legend>
                    {ais.value.map((ai) => (
                        <label key={ai.id} class="choice">
                            <input
                                type="checkbox"
                                checked={chosen.value.has(ai.id)}
                                onChange={() => toggle(ai.id)}
                            />
                            <span>{aiName(ai.id)}</span>
                            <StateDot state={ai.state} />
                        </label>
                    ))}
                </fieldset>
                <ChosenOptions />
                {chosen.value.size > 1 &&
                    [...chosen.value].some((id) => Object.keys(optionsOf(id)).length > 0) && (
                        <p class="hint">{texts.analysis.optionsIgnored}</p>
                    )}
                <div class="fields">
                    <LimitField
                        of={[...chosen.value]}
                        value={limit.value}
                        change={(value) => (limit.value = value)}
                        untilStopped
                    />
                    <label class="field narrow">
                        <span>{texts.analysis.lines}</span>
                        <DraftInput
                            field={{ type: "number", min: 1, max: Math.min(8, most) }}
                            value={lines.value}
                            commit={(text) =>
                                void (lines.value = Math.max(1, Math.min(8, Number(text) || 1)))
                            }
                        />
                    </label>
                </div>
                <label class="check">
                    <input
                        type="checkbox"
                        checked={isAutomatic.value}
                        onChange={(event) => (isAutomatic.value = event.currentTarget.checked)}
                    />
                    {texts.analysis.analyseVisited}
                </label>
            </div>
        </details>
    )
}

export function AnalysePanel() {
    useEffect(() => {
        const stopDrawing = effect(() => {
            const now = [...searches.value.values()].filter((progress) => isCurrent(progress.game))
            const single = now.length === 1
            const firsts = now.flatMap((progress) =>
                progress.lines.slice(0, single ? 4 : 1).flatMap((line) => line.pv.slice(0, 1)),
            )
            panelOverlay.value = { arrows: arrowsOf(firsts) }
        })
        const stopFollowing = effect(() => {
            const isOpen = status.value?.state === "in_progress"
            if (isAutomatic.value && isOpen && chosen.value.size > 0) untracked(analyseIfNew)
        })
        return () => {
            stopDrawing()
            stopFollowing()
            panelOverlay.value = null
        }
    }, [])
    const isOver = status.value !== null && status.value.state !== "in_progress"
    const ids = [...(searches.value.size > 0 ? searches.value.keys() : chosen.value)]
    const most = Math.max(
        1,
        ...ais.value.filter((ai) => chosen.value.has(ai.id)).map((ai) => ai.capabilities.lines),
    )
    return (
        <>
            <div class="buttons analysis-buttons">
                {activeRequest.value || isEndless.value ? (
                    <button type="button" class="primary" onClick={stop}>
                        <span key="stop">{texts.analysis.stop}</span>
                    </button>
                ) : (
                    <button
                        type="button"
                        class="primary"
                        onClick={() => void analyse()}
                        disabled={isOver || chosen.value.size === 0}
                    >
                        <span key="start">
                            {chosen.value.size > 1
                                ? texts.analysis.compare(chosen.value.size)
                                : texts.analysis.analyse}
                        </span>
                    </button>
                )}
                <GameComparison />
            </div>
            <div class="analysis-note">
                <Note isOver={isOver} />
            </div>
            <KnownMoves />
            <div class={`cards${ids.length > 1 ? " compact" : ""}`}>
                {ids.map((id) => (
                    <Card
                        key={id}
                        id={id}
                        progress={searches.value.get(id)}
                        isAsked={searches.value.has(id)}
                        rows={ids.length > 1 ? 1 : Math.min(lines.value, most)}
                    />
                ))}
            </div>
            <AnalysisSettings most={most} />
            <div class="curl-row">
                <CopyCurl answer={lastReply.value} />
            </div>
        </>
    )
}
