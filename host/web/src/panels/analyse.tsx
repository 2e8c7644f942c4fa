// The Analyse panel: analyses of the current position by one or several AIs, and their agreement.

import { batch, effect, signal, untracked } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { aiIds, aiName, ais } from "../ais"
import { bestMove, Problem, stream } from "../api"
import type { Answer, BestMove, Comparison, Limit, StreamRecord } from "../api"
import { LimitField, StateDot, Written } from "../fields"
import { beginsWith, gameForm, goTo, isHere, plies, setScore, status } from "../game"
import { AiOptions } from "../option-fields"
import { optionsOf } from "../options"
import { beginThought, concluded, further } from "../play"
import type { Moves } from "../game"
import type { Thought } from "../play"
import { moveNumber } from "../preview"
import { Figures, Lines } from "../thinking"
import { arrowsOf, overlay } from "../view"
import { faultInWords, scoreInWords } from "../words"

const chosen = signal<ReadonlySet<string>>(new Set())
const limit = signal<Limit | null>({ movetime_ms: 2000 })
const lines = signal(1)
const thoughts = signal<ReadonlyMap<string, Thought>>(new Map())
const faults = signal<ReadonlyMap<string, string>>(new Map())
const agreement = signal<Comparison["agreement"]>([])
const asking = signal<AbortController | null>(null)
/** Whether each new position is analysed automatically. */
const follows = signal(false)

/** Removes the analyses when the game no longer contains their position. */
plies.subscribe(() => {
    const [thought] = thoughts.peek().values()
    if (!thought || beginsWith(thought.game)) return
    asking.peek()?.abort()
    batch(() => {
        asking.value = null
        thoughts.value = new Map()
        faults.value = new Map()
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

const setThought = (id: string, change: (thought: Thought) => Thought) => {
    const before = thoughts.value.get(id)
    if (before) thoughts.value = new Map(thoughts.value).set(id, change(before))
}
const setFault = (id: string, error: unknown) => {
    faults.value = new Map(faults.value).set(id, faultInWords(aiName(id), error))
    setThought(id, (thought) => ({ ...thought, done: true }))
}

async function ask(): Promise<void> {
    asking.value?.abort()
    const mine = new AbortController()
    const ids = [...chosen.value]
    const game = gameForm()
    batch(() => {
        asking.value = mine
        thoughts.value = new Map(ids.map((id) => [id, beginThought(id)]))
        faults.value = new Map()
        agreement.value = []
    })
    const question = { game, ...(limit.value ? { limit: limit.value } : {}), ...(lines.value > 1 ? { lines: lines.value } : {}) }
    try {
        if (ids.length === 1) await askOne(ids[0] ?? "", question, mine.signal)
        else await askSeveral(ids, question, mine.signal)
    } catch (error) {
        if (!mine.signal.aborted) for (const id of ids) setFault(id, error)
    }
    if (asking.value === mine) asking.value = null
}

function askIfNew(): void {
    const [thought] = thoughts.value.values()
    if (!thought || !isHere(thought.game)) void ask()
}

async function askOne(ai: string, question: { game: Moves }, signal: AbortSignal): Promise<void> {
    const tell = (record: StreamRecord<BestMove>) => setThought(ai, (thought) => further(thought, record))
    const reply = await bestMove({ ...question, ai }, tell, signal)
    if (signal.aborted) return
    setThought(ai, (thought) => concluded(thought, reply))
    setScore(question.game.moves.length, reply.score)
}

async function askSeveral(ids: string[], question: { game: Moves }, signal: AbortSignal): Promise<void> {
    const tell = (record: StreamRecord<Comparison>) => {
        if (record.type === "info" && record.ai) setThought(record.ai, (thought) => further(thought, record))
        if (record.type === "answer") hear(record)
    }
    const reply = await stream<Comparison>("/v1/compare", { ...question, ais: ids }, tell, signal)
    if (signal.aborted) return
    reply.answers.forEach(hear)
    agreement.value = reply.agreement
    const [first] = reply.answers.filter((answer) => answer.score)
    setScore(question.game.moves.length, first?.score)
}

function hear({ ai, error, move, score, search }: Answer): void {
    if (error) setFault(ai.id, new Problem(error, null))
    else if (move && score && search) {
        setThought(ai.id, (thought) => concluded(thought, { move, score, search } as BestMove))
    }
}

function stop(): void {
    asking.value?.abort()
    asking.value = null
    thoughts.value = new Map([...thoughts.value].map(([id, thought]) => [id, { ...thought, done: true }]))
}

/** Names the analysed position if it is not the current one. */
function About() {
    const [thought] = thoughts.value.values()
    if (!thought || isHere(thought.game)) return null
    const { length } = thought.game.moves
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
    const asked = thoughts.value.size
    const most = first?.ais.length ?? 0
    const isShared = most > 1 || agreement.value.length === 1
    const who = most === asked ? `All ${asked}` : `${most} of ${asked}`
    const words = isShared ? `${who} AIs ${most === 1 ? "chooses" : "choose"} ${first?.move.san}.` : "Each AI chooses a different move."
    return (
        <section class="agreement" data-testid="agreement" aria-label="Agreement">
            <p>{words}</p>
            {most < asked && (
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

function Card({ id, thought }: { id: string; thought: Thought }) {
    const fault = faults.value.get(id)
    return (
        <article class="card" data-testid={`answer-${id}`}>
            <header>
                <strong>{aiName(id)}</strong>
                {!thought.done && <span class="pulse" aria-hidden="true" />}
                <span class="score big">{scoreInWords(thought.score)}</span>
            </header>
            {fault ? (
                <p class="fault-words">{fault}</p>
            ) : (
                <>
                    <Figures {...thought} />
                    <Lines game={thought.game} lines={thought.lines} />
                </>
            )}
        </article>
    )
}

export function AnalysePanel() {
    useEffect(() => {
        const stopDrawing = effect(() => {
            const now = [...thoughts.value.values()].filter((thought) => isHere(thought.game))
            const single = now.length === 1
            const firsts = now.flatMap((thought) => thought.lines.slice(0, single ? 4 : 1).flatMap((line) => line.pv.slice(0, 1)))
            overlay.value = { arrows: arrowsOf(firsts) }
        })
        const stopFollowing = effect(() => {
            const isOpen = status.value?.state === "in_progress"
            if (follows.value && isOpen && chosen.value.size > 0) untracked(askIfNew)
        })
        return () => {
            stopDrawing()
            stopFollowing()
            overlay.value = null
        }
    }, [])
    const over = status.value !== null && status.value.state !== "in_progress"
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
                    <Written
                        field={{ type: "number", min: 1, max: Math.min(8, most) }}
                        value={lines.value}
                        take={(text) => void (lines.value = Math.max(1, Math.min(8, Number(text) || 1)))}
                    />
                </label>
            </div>
            <label class="check">
                <input type="checkbox" checked={follows.value} onChange={(event) => (follows.value = event.currentTarget.checked)} />
                Analyse each position automatically
            </label>
            <div class="buttons">
                {asking.value ? (
                    <button type="button" class="primary" onClick={stop}>
                        Stop
                    </button>
                ) : (
                    <button type="button" class="primary" onClick={() => void ask()} disabled={over || chosen.value.size === 0}>
                        {chosen.value.size > 1 ? `Compare ${chosen.value.size} AIs` : "Analyse"}
                    </button>
                )}
            </div>
            {over && <p class="hint">The game is over. Go back to an earlier position to analyse it.</p>}
            {!over && thoughts.value.size === 0 && (
                <p class="hint">Select one AI for its best lines, or several to compare them.</p>
            )}
            <About />
            <Agreement />
            <div class="cards">
                {[...thoughts.value].map(([id, thought]) => (
                    <Card key={id} id={id} thought={thought} />
                ))}
            </div>
        </>
    )
}
