// The view of the board: orientation, marks, arrows, evaluation and material.

import { computed, signal } from "@preact/signals"
import type { Color, Issue, Move, Score } from "./api"
import type { Arrow, Mark } from "./board/layers"
import { controlMarks } from "./control"
import { cursor, isCurrent, isOver, lastMove, placement, placementAfter, status } from "./game"
import { hintedMove } from "./hint"
import { searchProgress } from "./play"
import { isAiMatch, userColor, userPlaysBoth } from "./players"
import { scores } from "./scores"
import { piecesOf } from "./small-board"
import { switches } from "./switches"

/** Whether a person is playing against an AI. */
export const isContest = computed(() => !userPlaysBoth.value && !isAiMatch.value && !isOver.value)
/** Whether evaluations, their graph and the AIs' lines are shown. */
export const showsAnalysis = computed(() => switches.place.value !== "play")

export const flipped = signal(false)
export const orientation = computed<Color>(() =>
    flipped.value === (userColor.value === "white") ? "black" : "white",
)
export const flip = () => {
    flipped.value = !flipped.value
}

/** Marks, arrows and optionally a position, drawn instead of the game. */
export interface Overlay {
    marks?: Mark[]
    arrows?: Arrow[]
    placement?: string
    /** Whether the position belongs to the board editor. */
    isEdited?: boolean
    /** Goes back from a line's position to the game. */
    leave?: () => void
    /** Adds the line of the shown position to the game. */
    add?: () => void
}
/** The open panel's overlay. */
export const panelOverlay = signal<Overlay | null>(null)
/** A lesson's overlay. It covers the panel's overlay. */
export const lessonOverlay = signal<Overlay | null>(null)
/** A line's position that the user is viewing. It covers the other overlays. */
export const imagined = signal<Overlay | null>(null)
export const overlay = computed(() => imagined.value ?? lessonOverlay.value ?? panelOverlay.value)
/** The moves of an open promotion dialog. */
export const promotion = signal<Move[] | null>(null)
/** The marks of the inspected square and its moves. */
export const inspected = signal<Mark[]>([])

export const shownPlacement = computed(() => overlay.value?.placement ?? placement.value)

export const marks = computed<Mark[]>(() => {
    if (overlay.value?.placement) return overlay.value.marks ?? []
    const move = lastMove.value
    const last = move ? [move.slice(0, 2), move.slice(2, 4)] : []
    const marks: Mark[] = last.map((square) => ({ square, kind: "last" }))
    if (status.value?.check) {
        const king = status.value.turn === "white" ? "wk" : "bk"
        for (const [square, piece] of piecesOf(placement.value))
            if (piece === king) marks.push({ square, kind: "check" })
    }
    return [...controlMarks.value, ...marks, ...(overlay.value?.marks ?? []), ...inspected.value]
})

/** Returns an arrow for the first move of each line. The best one is drawn last, on top. */
export function arrowsOf(firstMoves: string[]): Arrow[] {
    const kinds: Arrow["kind"][] = ["best", "second"]
    const different = [...new Set(firstMoves)].slice(0, 4)
    const arrow = (uci: string, index: number): Arrow => ({
        from: uci.slice(0, 2),
        to: uci.slice(2, 4),
        kind: kinds[index] ?? "other",
    })
    return different.map(arrow).reverse()
}

export const arrows = computed<Arrow[]>(() => {
    if (overlay.value?.arrows) return overlay.value.arrows
    if (hintedMove.value) return arrowsOf([hintedMove.value])
    const now = searchProgress.value
    if (overlay.value?.placement || !showsAnalysis.value || !now || !isCurrent(now.game)) return []
    return arrowsOf(now.lines.flatMap((line) => line.pv.slice(0, 1)))
})

/** The evaluation of the current position: from the running search, or the stored score. */
export const shownScore = computed<Score | null>(() => {
    const now = searchProgress.value
    if (now && !now.done && now.score && isCurrent(now.game)) return now.score
    return scores.value.get(cursor.value) ?? null
})

/** Returns the squares named in the messages of issues. */
export function squaresOf(issues: Issue[]): string[] {
    return [...new Set(issues.flatMap((issue) => issue.message.match(/\b[a-h][1-8]\b/g) ?? []))]
}

/**
 * The pieces that each side has lost since the starting position, and White's material advantage in
 * pawns.
 */
export const material = computed(() => {
    const count = (placement: string) => {
        const counts = new Map<string, number>()
        for (const piece of piecesOf(placement).values())
            counts.set(piece, (counts.get(piece) ?? 0) + 1)
        return counts
    }
    const worth: Record<string, number> = { q: 9, r: 5, b: 3, n: 3, p: 1 }
    const [before, now] = [count(placementAfter(0)), count(placement.value)]
    const lost = (color: string) => {
        const missing = (piece: string) =>
            (before.get(color + piece) ?? 0) - (now.get(color + piece) ?? 0)
        const promoted = ["q", "r", "b", "n"].reduce(
            (sum, piece) => sum + Math.max(0, -missing(piece)),
            0,
        )
        return [..."qrbnp"].flatMap((piece) => {
            const gone = missing(piece) - (piece === "p" ? promoted : 0)
            return Array.from({ length: Math.max(0, gone) }, () => color + piece)
        })
    }
    let ahead = 0
    for (const [piece, number] of now)
        ahead += (worth[piece[1] ?? ""] ?? 0) * number * (piece.startsWith("w") ? 1 : -1)
    return { white: lost("w"), black: lost("b"), ahead }
})
