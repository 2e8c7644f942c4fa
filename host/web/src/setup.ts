// The board editor: the edited position and the issues that the host reports for it.

import { computed, effect, signal } from "@preact/signals"
import { legalMoves, Problem } from "./api"
import type { Color, Issue } from "./api"
import { placement, positionInfo, turn } from "./game"
import { piecesOf, placementOf } from "./small-board"

/** The edited pieces by square; null while the editor is closed. */
export const edited = signal<ReadonlyMap<string, string> | null>(null)
/** The piece that a click places; null removes pieces. */
export const selectedPiece = signal<string | null>("wp")
export const editedTurn = signal<Color>("white")
export const editedCastling = signal<ReadonlySet<string>>(new Set())
export const editedIssues = signal<Issue[]>([])
/** The codes of what is accepted in the position to look at it, though not to play. */
export const editedNotes = signal<string[]>([])

export const editedPlacement = computed(() => (edited.value ? placementOf(edited.value) : null))
export const editedFen = computed(() => {
    const castling = [..."KQkq"].filter((right) => editedCastling.value.has(right)).join("") || "-"
    return `${editedPlacement.value} ${editedTurn.value === "white" ? "w" : "b"} ${castling} - 0 1`
})

/** Opens the editor with a FEN, legal or not; with the current position if there is none. */
export function openEditor(fen?: string): void {
    const [board, color, castling = ""] = (
        fen ??
        positionInfo.peek()?.game.fen ??
        placement.peek()
    ).split(" ")
    edited.value = piecesOf(board ?? "")
    editedTurn.value = fen ? (color === "b" ? "black" : "white") : turn.peek()
    editedCastling.value = new Set([...castling].filter((right) => "KQkq".includes(right)))
}

export function clearBoard(): void {
    edited.value = new Map()
    editedCastling.value = new Set()
}

export function placePiece(square: string): void {
    if (!edited.value) return
    const pieces = new Map(edited.value)
    if (selectedPiece.value === null || pieces.get(square) === selectedPiece.value)
        pieces.delete(square)
    else pieces.set(square, selectedPiece.value)
    edited.value = pieces
}

/** Moves a piece to another square; removes it if it is dropped outside of the board. */
export function shiftPiece(from: string, to: string | null): void {
    const piece = edited.value?.get(from)
    if (!edited.value || !piece) return
    const pieces = new Map(edited.value)
    pieces.delete(from)
    if (to !== null) pieces.set(to, piece)
    edited.value = pieces
}

/** Returns whether the first field of a FEN is a well-formed board, legal or not. */
export function isBoard(fen: string): boolean {
    const rows = (fen.trim().split(/\s+/)[0] ?? "").split("/")
    const width = (row: string) =>
        [...row].reduce((sum, letter) => sum + (/\d/.test(letter) ? Number(letter) : 1), 0)
    return (
        rows.length === 8 &&
        rows.every((row) => /^[pnbrqkPNBRQK1-8]+$/.test(row) && width(row) === 8)
    )
}

effect(() => {
    if (!edited.value) {
        editedIssues.value = []
        editedNotes.value = []
        return
    }
    const fen = editedFen.value
    const show = (issues: Issue[], notes: string[]) => {
        if (!edited.peek() || editedFen.peek() !== fen) return
        editedIssues.value = issues
        editedNotes.value = notes
    }
    legalMoves({ fen }).then(
        ({ game }) => show([], game.notes ?? []),
        (error: unknown) => {
            if (error instanceof Problem) show(error.body.issues ?? [], [])
        },
    )
})
