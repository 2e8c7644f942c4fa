// The scores of positions, also by the AI that gave them.

import { batch, computed, signal } from "@preact/signals"
import type { Score } from "./api"
import { gameNumber, plies } from "./game"
import { rootId } from "./tree"

type ById = ReadonlyMap<number, Score>
type ByPly = ReadonlyMap<number, Score>

/** The last score of each position. */
export const knownScores = signal<ById>(new Map())
const byAi = signal<ReadonlyMap<string, ById>>(new Map())

/** Clears the scores of the previous game. */
gameNumber.subscribe(() => setScores({ latest: [], byAi: [] }))

const onLine = (known: ById): ByPly => {
    const ids = [rootId, ...plies.value.map(({ id }) => id)]
    const entries = ids.map((id, ply) => [ply, known.get(id)] as const)
    return new Map(entries.filter((entry): entry is [number, Score] => entry[1] !== undefined))
}

/** The scores of the positions of the current line, by ply. */
export const scores = computed(() => onLine(knownScores.value))
/** The scores of each AI that judged several positions of the current line. */
export const scoresByAi = computed<ReadonlyMap<string, ByPly>>(() => {
    const lines = [...byAi.value].map(([ai, known]) => [ai, onLine(known)] as const)
    return new Map(lines.filter(([, known]) => known.size > 1))
})

export const scoreOf = (id: number): Score | undefined => knownScores.value.get(id)

export function setScore(id: number | null, score: Score | null | undefined, ai: string): void {
    if (!score || id === null) return
    batch(() => {
        knownScores.value = new Map(knownScores.value).set(id, score)
        byAi.value = new Map(byAi.value).set(ai, new Map(byAi.value.get(ai)).set(id, score))
    })
}

/** The scores as data. */
export interface ScoresState {
    latest: [number, Score][]
    byAi: [string, [number, Score][]][]
}

export const scoresState = (): ScoresState => ({
    latest: [...knownScores.value],
    byAi: [...byAi.value].map(([ai, known]) => [ai, [...known]]),
})

/** Replaces the scores of the game. */
export function setScores(state: ScoresState): void {
    batch(() => {
        knownScores.value = new Map(state.latest)
        byAi.value = new Map(state.byAi.map(([ai, known]) => [ai, new Map(known)]))
    })
}
