// The Analyse panel: analyses of the current position by one or several AIs, and their agreement.

import { batch, effect, signal, untracked } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { aiIds, aiName, ais } from "../ais"
import { bestMove, Problem, stream } from "../api"
import type { Answer, BestMove, Comparison, Limit, StreamRecord } from "../api"
import { DraftInput, LimitField, StateDot } from "../fields"
import { beginsWith, gameForm, goTo, isCurrent, plies, setScore, status } from "../game"
import { AiOptions } from "../option-fields"
import { optionsOf } from "../options"
import { newProgress, withInfo, withResult } from "../play"
import type { Moves } from "../game"
import type { SearchProgress } from "../play"
import { moveNumber } from "../preview"
import { Figures, Lines } from "../search-progress"
import { arrowsOf, overlay } from "../view"
import { errorMessage, formatScore } from "../format"

const chosen = signal<ReadonlySet<string>>(new Set())
const limit = signal<Limit | null>({ movetime_ms: 2000 })
const lines = signal(1)
const searches = signal<ReadonlyMap<string, SearchProgress>>(new Map())
const errors = signal<ReadonlyMap<string, string>>(new Map())
const agreement = signal<Comparison["agreement"]>([])
const activeRequest = signal<AbortController | null>(null)
/** Whether each new position is analysed automatically. */
const isAutomatic = signal(false)

/** Removes the analyses when the game no longer contains their position. */
plies.subscribe(() => {
    const [progress] = searches.peek().values()
    if (!progress || beginsWith(progress.game)) return
    activeRequest.peek()?.abort()
    batch(() => {
        activeRequest.value = null
        searches.value = new Map()
        errors.value = new Map()
        agreement.value = []
    })
})

/** Selects the first AI while none is selected, and deselects removed AIs. */
effect(() => {
    const known = chosen.value.size > 0 ? [...chosen.value].filter((id) => aiIds.value.includes(id)) : aiIds.value.slice(0, 1)
    if (known.length !== chosen.value.size) chosen.value = new Set(known)
})

function toggle(id: string): void {
    const next = new Set(chosen.value)
    if (!next.delete(id)) next.add(id)
    chosen.value = next
}

const updateProgress = (id: string, change: (progress: SearchProgress) => SearchProgress) => {
    const before = searches.value.get(id)
    if (before) searches.value = new Map(searches.value).set(id, change(before))
}
const setError = (id: string, error: unknown) => {
    errors.value = new Map(errors.value).set(id, errorMessage(aiName(id), error))
    updateProgress(id, (progress) => ({ ...progress, done: true }))
}

async function analyse(): Promise<void> {
    activeRequest.value?.abort()
    const controller = new AbortController()
    const ids = [...chosen.value]
    const game = gameForm()
    batch(() => {
        activeRequest.value = controller
        searches.value = new Map(ids.map((id) => [id, newProgress(id)]))
        errors.value = new Map()
        agreement.value = []
    })
    const request = { game, ...(limit.value ? { limit: limit.value } : {}), ...(lines.value > 1 ? { lines: lines.value } : {}) }
    try {
        if (ids.length === 1) await analyseWithOne(ids[0] ?? "", request, controller.signal)
        else await compare(ids, request, controller.signal)
    } catch (error) {
        if (!controller.signal.aborted) for (const id of ids) setError(id, error)
    }
    if (activeRequest.value === controller) activeRequest.value = null
}

function analyseIfNew(): void {
    const [progress] = searches.value.values()
    if (!progress || !isCurrent(progress.game)) void analyse()
}

async function analyseWithOne(ai: string, request: { game: Moves }, signal: AbortSignal): Promise<void> {
    const onRecord = (record: StreamRecord<BestMove>) => updateProgress(ai, (progress) => withInfo(progress, record))
    const reply = await bestMove({ ...request, ai }, onRecord, signal)
    if (signal.aborted) return
    updateProgress(ai, (progress) => withResult(progress, reply))
    setScore(request.game.moves.length, reply.score)
}

async function compare(ids: string[], request: { game: Moves }, signal: AbortSignal): Promise<void> {
    const onRecord = (record: StreamRecord<Comparison>) => {
        if (record.type === "info" && record.ai) updateProgress(record.ai, (progress) => withInfo(progress, record))
        if (record.type === "answer") storeAnswer(record)
    }
    const reply = await stream<Comparison>("/v1/compare", { ...request, ais: ids }, onRecord, signal)
    if (signal.aborted) return
    reply.answers.forEach(storeAnswer)
    agreement.value = reply.agreement
    const [first] = reply.answers.filter((answer) => answer.score)
    setScore(request.game.moves.length, first?.score)
}

function storeAnswer({ ai, error, move, score, search }: Answer): void {
    if (error) setError(ai.id, new Problem(error, null))
    else if (move && score && search) {
        updateProgress(ai.id, (progress) => withResult(progress, { move, score, search } as BestMove))
    }
}

function stop(): void {
    activeRequest.value?.abort()
    activeRequest.value = null
    searches.value = new Map([...searches.value].map(([id, progress]) => [id, { ...progress, done: true }]))
}

/** Names the analysed position if it is not the current one. */
function AnalysedPosition() {
    const [progress] = searches.value.values()
    if (!progress || isCurrent(progress.game)) return null
    const { length } = progress.game.moves
    const last = plies.value[length - 1]
    return (
        <p class="about">
            <span class="muted">{last ? `Analysis of the position after ${moveNumber(length - 1, true)} ${last.san}.` : "Analysis of the starting position."}</span>
            <button type="button" class="link" onClick={() => goTo(length)}>
                Go to position
            </button>
        </p>
    )
}

function Agreement() {
    if (agreement.value.length === 0) return null
    const [first] = agreement.value
    const total = searches.value.size
    const most = first?.ais.length ?? 0
    const isShared = most > 1 || agreement.value.length === 1
    const all = total === 2 ? "Both" : `All ${total}`
    const count = most === total ? all : `${most} of ${total}`
    const text = isShared ? `${count} AIs ${most === 1 ? "chooses" : "choose"} ${first?.move.san}.` : "Each AI chooses a different move."
    return (
        <section class="agreement" data-testid="agreement" aria-label="Agreement">
            <p>{text}</p>
            {most < total && (
                <ul>
                    {agreement.value.map(({ move, ais }) => (
                        <li key={move.uci}>
                            <strong>{move.san}</strong> <span class="muted">{ais.map(aiName).join(", ")}</span>
                        </li>
                    ))}
                </ul>
            )}
        </section>
    )
}

function Card({ id, progress }: { id: string; progress: SearchProgress }) {
    const error = errors.value.get(id)
    return (
        <article class="card" data-testid={`answer-${id}`}>
            <header>
                <strong>{aiName(id)}</strong>
                {!progress.done && <span class="pulse" aria-hidden="true" />}
                <span class="score big">{formatScore(progress.score)}</span>
            </header>
            {error ? (
                <p class="error-text">{error}</p>
            ) : (
                <>
                    <Figures {...progress} />
                    <Lines game={progress.game} lines={progress.lines} />
                </>
            )}
        </article>
    )
}

export function AnalysePanel() {
    useEffect(() => {
        const stopDrawing = effect(() => {
            const now = [...searches.value.values()].filter((progress) => isCurrent(progress.game))
            const single = now.length === 1
            const firsts = now.flatMap((progress) => progress.lines.slice(0, single ? 4 : 1).flatMap((line) => line.pv.slice(0, 1)))
            overlay.value = { arrows: arrowsOf(firsts) }
        })
        const stopFollowing = effect(() => {
            const isOpen = status.value?.state === "in_progress"
            if (isAutomatic.value && isOpen && chosen.value.size > 0) untracked(analyseIfNew)
        })
        return () => {
            stopDrawing()
            stopFollowing()
            overlay.value = null
        }
    }, [])
    const isOver = status.value !== null && status.value.state !== "in_progress"
    const most = Math.max(1, ...ais.value.filter((ai) => chosen.value.has(ai.id)).map((ai) => ai.capabilities.lines))
    return (
        <>
            <fieldset class="choices">
                <legend>Analyse this position with</legend>
                {ais.value.map((ai) => (
                    <label key={ai.id} class="choice">
                        <input type="checkbox" checked={chosen.value.has(ai.id)} onChange={() => toggle(ai.id)} />
                        <span>{aiName(ai.id)}</span>
                        <StateDot state={ai.state} />
                    </label>
                ))}
            </fieldset>
            {[...chosen.value].map((id) => (
                <AiOptions key={id} id={id} />
            ))}
            {chosen.value.size > 1 && [...chosen.value].some((id) => Object.keys(optionsOf(id)).length > 0) && (
                <p class="hint">Options are ignored when several AIs are compared; the server’s defaults apply.</p>
            )}
            <div class="fields">
                <LimitField of={[...chosen.value]} value={limit.value} change={(value) => (limit.value = value)} />
                <label class="field narrow">
                    <span>Lines</span>
                    <DraftInput
                        field={{ type: "number", min: 1, max: Math.min(8, most) }}
                        value={lines.value}
                        commit={(text) => void (lines.value = Math.max(1, Math.min(8, Number(text) || 1)))}
                    />
                </label>
            </div>
            <label class="check">
                <input type="checkbox" checked={isAutomatic.value} onChange={(event) => (isAutomatic.value = event.currentTarget.checked)} />
                Analyse each position automatically
            </label>
            <div class="buttons">
                {activeRequest.value ? (
                    <button type="button" class="primary" onClick={stop}>
                        Stop
                    </button>
                ) : (
                    <button type="button" class="primary" onClick={() => void analyse()} disabled={isOver || chosen.value.size === 0}>
                        {chosen.value.size > 1 ? `Compare ${chosen.value.size} AIs` : "Analyse"}
                    </button>
                )}
            </div>
            {isOver && <p class="hint">The game is over. Go back to an earlier position to analyse it.</p>}
            {!isOver && searches.value.size === 0 && (
                <p class="hint">Select one AI for its best lines, or several to compare them.</p>
            )}
            <AnalysedPosition />
            <Agreement />
            <div class="cards">
                {[...searches.value].map(([id, progress]) => (
                    <Card key={id} id={id} progress={progress} />
                ))}
            </div>
        </>
    )
}
