// Scores of positions, overall and by AI.

import { batch, computed, signal } from "@preact/signals"
import type { Score } from "./api"
import { gameNumber, plies } from "./game"
import { rootId } from "./tree"

type ById = ReadonlyMap<number, Score>
type ByPly = ReadonlyMap<number, Score>

/** The last score of each position. */
export const knownScores = signal<ById>(new Map())
/** The AI of the report, whose scores the bar shows; null if no report exists. */
export const judge = signal<string | null>(null)
/** The scores by AI. Scores from a PGN have an empty id. */
const byAi = signal<ReadonlyMap<string, ById>>(new Map())

/**
 * Scores from the analysis, which is deeper than a report. They change several times a second, so
 * they are stored only when a search ends.
 */
const analysed = signal<{ latest: ById; byAi: ReadonlyMap<string, ById> }>({
    latest: new Map(),
    byAi: new Map(),
})

/** Clears the scores of the previous game. */
gameNumber.subscribe(() => setScores({ judge: null, latest: [], byAi: [] }))

const judged = computed<ById>(
    () =>
        (judge.value === null ? undefined : byAi.value.get(judge.value)) ??
        new Map<number, Score>(),
)

const onLine = (known: ById): ByPly => {
    const ids = [rootId, ...plies.value.map(({ id }) => id)]
    const entries = ids.map((id, ply) => [ply, known.get(id)] as const)
    return new Map(entries.filter((entry): entry is [number, Score] => entry[1] !== undefined))
}

/** The scores of the current line, by ply. */
export const scores = computed(() =>
    onLine(new Map([...knownScores.value, ...judged.value, ...analysed.value.latest])),
)
/** The scores of each AI that judged several positions of the current line. */
export const scoresByAi = computed<ReadonlyMap<string, ByPly>>(() => {
    const all = new Map(byAi.value)
    for (const [ai, found] of analysed.value.byAi)
        all.set(ai, new Map([...(all.get(ai) ?? []), ...found]))
    const lines = [...all].map(([ai, known]) => [ai, onLine(known)] as const)
    return new Map(lines.filter(([, known]) => known.size > 1))
})

export const hasGraph = computed(() => plies.value.length > 1 && scoresByAi.value.size > 0)

export const scoreOf = (id: number): Score | undefined =>
    analysed.value.latest.get(id) ?? judged.value.get(id) ?? knownScores.value.get(id)

/**
 * Shows what the analysis has found. With several AIs, the first one gives the score of the
 * position.
 */
export function setAnalysed(
    id: number | null,
    score: Score | null,
    ai: string,
    isFirst: boolean,
): void {
    if (!score || id === null) return
    const { latest, byAi } = analysed.peek()
    const ofAi = new Map(byAi.get(ai)).set(id, score)
    analysed.value = {
        latest: isFirst ? new Map(latest).set(id, score) : latest,
        byAi: new Map(byAi).set(ai, ofAi),
    }
}

export function setScore(id: number | null, score: Score | null | undefined, ai: string): void {
    if (!score || id === null) return
    batch(() => {
        knownScores.value = new Map(knownScores.value).set(id, score)
        byAi.value = new Map(byAi.value).set(ai, new Map(byAi.value.get(ai)).set(id, score))
    })
}

/** The scores in a form that can be stored. */
export interface ScoresState {
    judge: string | null
    latest: [number, Score][]
    byAi: [string, [number, Score][]][]
}

export const scoresState = (): ScoresState => ({
    judge: judge.value,
    latest: [...knownScores.value],
    byAi: [...byAi.value].map(([ai, known]) => [ai, [...known]]),
})

/** Replaces the scores of the game. */
export function setScores(state: ScoresState): void {
    batch(() => {
        judge.value = state.judge
        analysed.value = { latest: new Map(), byAi: new Map() }
        knownScores.value = new Map(state.latest)
        byAi.value = new Map(state.byAi.map(([ai, known]) => [ai, new Map(known)]))
    })
}
