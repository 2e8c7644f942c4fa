// A position that is set up by hand, and what the host says is wrong with it.

import { computed, effect, signal } from "@preact/signals"
import { call, Problem } from "./api"
import type { Color, Issue } from "./api"
import { here, placement, turn } from "./game"
import { piecesOf } from "./small-board"

/** The pieces by their squares while somebody sets them up. */
export const edited = signal<ReadonlyMap<string, string> | null>(null)
/** The piece that a press puts down; null takes away. */
export const hand = signal<string | null>("wp")
export const editedTurn = signal<Color>("white")
export const editedCastling = signal<ReadonlySet<string>>(new Set())
export const editedIssues = signal<Issue[]>([])

const ranks = [8, 7, 6, 5, 4, 3, 2, 1]

function placementOf(pieces: ReadonlyMap<string, string>): string {
    const letter = (piece: string | undefined) => {
        if (!piece) return " "
        const name = piece[1] ?? ""
        return piece.startsWith("w") ? name.toUpperCase() : name
    }
    const row = (rank: number) => [..."abcdefgh"].map((file) => letter(pieces.get(`${file}${rank}`))).join("")
    return ranks.map((rank) => row(rank).replace(/ +/g, (empty) => String(empty.length))).join("/")
}

export const editedPlacement = computed(() => (edited.value ? placementOf(edited.value) : null))
export const editedFen = computed(() => {
    const castling = [..."KQkq"].filter((right) => editedCastling.value.has(right)).join("") || "-"
    return `${editedPlacement.value} ${editedTurn.value === "white" ? "w" : "b"} ${castling} - 0 1`
})

/** Begins with the position on the board, or with that of a FEN, be it legal or not. */
export function edit(fen?: string): void {
    const [board, color, castling = ""] = (fen ?? here.peek()?.game.fen ?? placement.peek()).split(" ")
    edited.value = piecesOf(board ?? "")
    editedTurn.value = fen ? (color === "b" ? "black" : "white") : turn.peek()
    editedCastling.value = new Set([...castling].filter((right) => "KQkq".includes(right)))
}

export function clear(): void {
    edited.value = new Map()
    editedCastling.value = new Set()
}

export function put(square: string): void {
    if (!edited.value) return
    const pieces = new Map(edited.value)
    if (hand.value === null || pieces.get(square) === hand.value) pieces.delete(square)
    else pieces.set(square, hand.value)
    edited.value = pieces
}

/** Whether the first field of a FEN is a board, whatever stands on it. */
export function hasBoard(fen: string): boolean {
    const rows = (fen.trim().split(/\s+/)[0] ?? "").split("/")
    const width = (row: string) => [...row].reduce((sum, letter) => sum + (/\d/.test(letter) ? Number(letter) : 1), 0)
    return rows.length === 8 && rows.every((row) => /^[pnbrqkPNBRQK1-8]+$/.test(row) && width(row) === 8)
}

effect(() => {
    if (!edited.value) {
        editedIssues.value = []
        return
    }
    const fen = editedFen.value
    const tell = (issues: Issue[]) => {
        if (edited.peek() && editedFen.peek() === fen) editedIssues.value = issues
    }
    call("/v1/validate", { game: { fen } }).then(
        () => tell([]),
        (error: unknown) => {
            if (error instanceof Problem) tell(error.body.issues ?? [])
        },
    )
})
