// A lesson: the user finds better moves in place of one side's bad ones. The game is not changed.

import { batch, computed, effect, signal, untracked } from "@preact/signals"
import { aiName } from "./ais"
import { stop as stopAnalysis } from "./analysis"
import { call, report as requestReport } from "./api"
import type { Color, Game, Move, MoveReport } from "./api"
import {
    currentId,
    gameNumber,
    goToNode,
    idAfter,
    placement,
    positionInfo,
    tree,
    turnAfter,
} from "./game"
import { errorMessage } from "./format"
import { trackPending } from "./pending"
import { moveTaker } from "./play"
import { moveReports, report, reportEnd } from "./report"
import { judge } from "./scores"
import { switches } from "./switches"
import type { Tool } from "./switches"
import { nodeOf, pathTo, rootId } from "./tree"
import { flip, flipped, lessonOverlay, orientation } from "./view"

/** A bad move of the report, with its node and the node before it. */
export interface Moment {
    before: number
    played: number
    entry: MoveReport & { best: NonNullable<MoveReport["best"]> }
}

/** The user's attempt to solve a moment. */
export type Attempt =
    | { kind: "none" | "checking" | "shown" }
    | { kind: "played"; san: string }
    | { kind: "wrong"; san: string; judgement: MoveReport["judgement"] }
    | { kind: "right"; san: string; isBest: boolean; placement: string; move: Move }
    | { kind: "failed"; message: string }

interface Lesson {
    color: Color
    moments: readonly Moment[]
    /** The index of the current moment; at the end, the number of moments. */
    at: number
    attempt: Attempt
    /** The moments for which the user has found a better move. */
    found: ReadonlySet<number>
    /** The state to restore after the lesson. */
    before: { node: number; isFlipped: boolean }
}

export const lesson = signal<Lesson | null>(null)
export const moment = computed(() => lesson.value?.moments[lesson.value.at] ?? null)
/** Whether the board shows the position of the moment. */
export const isAtMoment = computed(() => moment.value?.before === currentId.value)
const isOpen = computed(
    () =>
        isAtMoment.value &&
        ["none", "played", "wrong", "failed"].includes(lesson.value?.attempt.kind ?? ""),
)

let activeRequest: AbortController | null = null

/** Begins a side's lesson from the shown report. */
export function learnFromReport(color: Color): void {
    stopAnalysis()
    const before = { node: currentId.value, isFlipped: flipped.value }
    batch(() => {
        if (reportEnd.value !== null) goToNode(reportEnd.value)
        const moments = momentsOf(color)
        if (orientation.value !== color && moments.length > 0) flip()
        lesson.value = {
            color,
            moments,
            at: 0,
            attempt: { kind: "none" },
            found: new Set(),
            before,
        }
        switches.tool.value = "learn"
        goToMoment()
    })
}

/** Returns a side's bad moves for which the report contains a better one. */
const momentsOf = (color: Color): Moment[] =>
    [...moveReports.value.values()].flatMap((entry) => {
        const { ply, best, judgement } = entry
        const hasBetter = judgement && best && best.move.uci !== entry.move.uci
        if (!hasBetter || turnAfter(ply - 1) !== color) return []
        return [{ before: idAfter(ply - 1), played: idAfter(ply), entry: { ...entry, best } }]
    })

/** Shows the position of the moment. */
export function goToMoment(): void {
    if (moment.value) goToNode(moment.value.before)
}

export function next(): void {
    const now = lesson.value
    if (!now) return
    activeRequest?.abort()
    batch(() => {
        lesson.value = {
            ...now,
            at: Math.min(now.at + 1, now.moments.length),
            attempt: { kind: "none" },
        }
        goToMoment()
    })
}

export function showSolution(): void {
    activeRequest?.abort()
    batch(() => {
        goToMoment()
        setAttempt({ kind: "shown" })
    })
}

export function startAgain(): void {
    const now = lesson.value
    if (!now) return
    batch(() => {
        lesson.value = { ...now, at: 0, attempt: { kind: "none" }, found: new Set() }
        goToMoment()
    })
}

/** Ends the lesson. Returns to the earlier position and orientation. */
export function endLesson(tool: Tool | null = "report"): void {
    const now = lesson.peek()
    if (!now) return
    activeRequest?.abort()
    batch(() => {
        lesson.value = null
        flipped.value = now.before.isFlipped
        if (isAttached(now.before.node)) goToNode(now.before.node)
        if (switches.tool.value === "learn") switches.tool.value = tool
    })
}

function setAttempt(attempt: Attempt): void {
    const now = lesson.value
    if (!now) return
    const found = attempt.kind === "right" ? new Set(now.found).add(now.at) : now.found
    lesson.value = { ...now, attempt, found }
}

/**
 * Judges the user's move at the current moment. The board shows the move until the promise
 * resolves.
 */
async function take(move: Move): Promise<void> {
    const now = moment.value
    const fen = positionInfo.value?.game.fen
    if (!now || !fen || !isOpen.value) return
    const { entry } = now
    if (move.uci === entry.move.uci) return setAttempt({ kind: "played", san: move.san })
    const controller = new AbortController()
    activeRequest = controller
    setAttempt({ kind: "checking" })
    const isBest = move.uci === entry.best.move.uci
    const judgedBy = judge.value ?? report.value?.ai.id ?? ""
    const attempt = await trackPending(async (): Promise<Attempt> => {
        try {
            const game = { fen, moves: [move.uci] }
            if (isBest) {
                const { game: after } = await call<{ game: Game }>(
                    "/v1/validate",
                    { game },
                    controller.signal,
                )
                return right(move, after, true)
            }
            const limit = switches.reportLimit.value
            const judged = await requestReport(
                { game, ai: judgedBy, ...(limit ? { limit } : {}) },
                () => undefined,
                controller.signal,
            )
            const [{ loss = null, judgement = null } = {}] = judged.moves
            return loss !== null && judgement === null
                ? right(move, judged.game, false)
                : { kind: "wrong", san: move.san, judgement }
        } catch (error) {
            return { kind: "failed", message: errorMessage(aiName(judgedBy), error) }
        }
    })
    if (!controller.signal.aborted && moment.value === now) setAttempt(attempt)
}

const right = (move: Move, { fen }: Game, isBest: boolean): Attempt => ({
    kind: "right",
    san: move.san,
    isBest,
    move,
    placement: fen.split(" ")[0] ?? "",
})

/** During a lesson, the lesson receives the user's moves and draws on the board. */
effect(() => {
    const now = lesson.value
    moveTaker.value = now ? { isOpen: isOpen.value, take } : null
    if (!now || !moment.value || !isAtMoment.value)
        return void (lessonOverlay.value = now ? { arrows: [] } : null)
    const { attempt } = now
    if (attempt.kind === "right") {
        const marks = [attempt.move.from, attempt.move.to].map((square) => ({
            square,
            kind: "last" as const,
        }))
        lessonOverlay.value = { placement: attempt.placement, marks, arrows: [] }
    } else if (attempt.kind === "shown") {
        const { from, to } = moment.value.entry.best.move
        lessonOverlay.value = { placement: placement.value, arrows: [{ from, to, kind: "better" }] }
    } else lessonOverlay.value = { arrows: [] }
})

/** Another tool or place ends the lesson. A reload does not restore it. */
effect(() => {
    const [tool, now] = [switches.tool.value, lesson.value]
    if (tool === "learn" && !now) switches.tool.value = "report"
    else if (tool !== "learn" && now) untracked(endLesson)
})

/** Ends the lesson before the tab's state is saved, because the state cannot contain one. */
addEventListener("pagehide", () => endLesson())

/** Whether the game still contains a node. */
function isAttached(id: number): boolean {
    if (!tree.value.has(id)) return false
    const path = pathTo(tree.value, id)
    return path.every(
        (at, index) =>
            index === 0 || nodeOf(tree.value, path[index - 1] ?? rootId).children.includes(at),
    )
}

/** Opening another game or removing its moves ends the lesson. */
gameNumber.subscribe(() => {
    activeRequest?.abort()
    const now = lesson.peek()
    if (!now) return
    batch(() => {
        lesson.value = null
        flipped.value = now.before.isFlipped
        switches.tool.value = null
    })
})
tree.subscribe(() => {
    const last = lesson.peek()?.moments.at(-1)
    if (last && !untracked(() => isAttached(last.before))) endLesson()
})
