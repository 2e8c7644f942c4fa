// The board editor: the edited position, and the issues that the host finds in it.

import { batch, computed, effect, signal } from "@preact/signals"
import { legalMoves, Problem } from "./api"
import type { Color, Issue } from "./api"
import { placement, positionInfo, turn } from "./game"
import { piecesOf, placementOf } from "./small-board"

/** The edited pieces by square; null while the editor is closed. */
export const edited = signal<ReadonlyMap<string, string> | null>(null)
/** The piece that a click places; null erases. */
export const selectedPiece = signal<string | null>("wp")
export const editedTurn = signal<Color>("white")
export const editedCastling = signal<ReadonlySet<string>>(new Set())
export const editedIssues = signal<Issue[]>([])
/** Codes of issues that allow viewing the position, but not playing it. */
export const editedNotes = signal<string[]>([])

/**
 * The square of a pawn that can be captured en passant. It is used only if such a capture is
 * possible.
 */
export const editedEnPassant = signal("-")
/** The plies since a capture or pawn move, and the move number. */
export const editedCounters = signal<readonly [number, number]>([0, 1])

export const editedPlacement = computed(() => (edited.value ? placementOf(edited.value) : null))

/** The squares where an en passant capture is possible. */
export const enPassantSquares = computed(() => {
    const pieces = edited.value ?? new Map<string, string>()
    const isWhite = editedTurn.value === "white"
    const [own, other] = isWhite ? ["wp", "bp"] : ["bp", "wp"]
    const [from, to, rank] = isWhite ? [7, 6, 5] : [2, 3, 4]
    const isPossible = (file: string, index: number) =>
        pieces.get(`${file}${rank}`) === other &&
        !pieces.has(`${file}${to}`) &&
        !pieces.has(`${file}${from}`) &&
        [files[index - 1], files[index + 1]].some((next) => pieces.get(`${next}${rank}`) === own)
    return files.filter(isPossible).map((file) => `${file}${to}`)
})

export const editedFen = computed(() => {
    const castling = [..."KQkq"].filter((right) => editedCastling.value.has(right))
    const enPassant = enPassantSquares.value.find((square) => square === editedEnPassant.value)
    return [
        editedPlacement.value,
        editedTurn.value === "white" ? "w" : "b",
        castling.map(writtenRight).join("") || "-",
        enPassant ?? "-",
        ...editedCounters.value,
    ].join(" ")
})

const files = [..."abcdefgh"]

/** Returns the files of the king and the outermost rook for a castling right. */
function filesOf(right: string): { king: number; rook: number } {
    const pieces = edited.value ?? new Map<string, string>()
    const [color, rank] = right === right.toUpperCase() ? ["w", 1] : ["b", 8]
    const at = (file: string) => pieces.get(`${file}${rank}`)
    const king = files.findIndex((file) => at(file) === `${color}k`)
    const isRook = (file: string) => at(file) === `${color}r`
    const rook = right.toUpperCase() === "K" ? files.findLastIndex(isRook) : files.findIndex(isRook)
    return { king, rook }
}

/** Returns a castling right as in a FEN: in Chess960, as the file of its rook. */
function writtenRight(right: string): string {
    const { king, rook } = filesOf(right)
    const isUsual = king === 4 && rook === (right.toUpperCase() === "K" ? 7 : 0)
    if (isUsual || rook < 0) return right
    const file = files[rook] ?? ""
    return right === right.toUpperCase() ? file.toUpperCase() : file
}

/** Converts a castling right in a FEN to one of the letters `KQkq`. */
function readRight(letter: string): string {
    if ("KQkq".includes(letter)) return letter
    const isWhite = letter === letter.toUpperCase()
    const isShort = files.indexOf(letter.toLowerCase()) > filesOf(isWhite ? "K" : "k").king
    const side = isShort ? "k" : "q"
    return isWhite ? side.toUpperCase() : side
}

/** Opens the editor with a FEN, legal or not, or with the current position. */
export function openEditor(fen?: string): void {
    const from = fen ?? positionInfo.peek()?.game.fen ?? placement.peek()
    const [board = "", color, castling = "", enPassant = "-", halfmoves, number] = from
        .trim()
        .split(/\s+/)
    batch(() => {
        edited.value = piecesOf(board)
        editedTurn.value = fen ? (color === "b" ? "black" : "white") : turn.peek()
        editedCastling.value = new Set([...castling].filter(isRight).map(readRight))
        editedEnPassant.value = enPassant
        editedCounters.value = [count(halfmoves, 0), count(number, 1)]
    })
}

const isRight = (letter: string) => /[a-hkq]/i.test(letter)

/** Parses a counter from a FEN, which may be missing or invalid. */
export const count = (text: string | undefined, least: number): number =>
    Math.min(9999, Math.max(least, Math.round(Number(text)) || 0))

export function clearBoard(): void {
    edited.value = new Map()
    editedCastling.value = new Set()
    editedCounters.value = [0, 1]
}

/** Puts a dragged piece on a square. */
export function putPiece(square: string, piece: string): void {
    if (edited.value) edited.value = new Map(edited.value).set(square, piece)
}

export function placePiece(square: string): void {
    if (!edited.value) return
    const pieces = new Map(edited.value)
    if (selectedPiece.value === null || pieces.get(square) === selectedPiece.value)
        pieces.delete(square)
    else pieces.set(square, selectedPiece.value)
    edited.value = pieces
}

/** Moves a piece to another square, or removes it if it is dropped outside the board. */
export function shiftPiece(from: string, to: string | null): void {
    const piece = edited.value?.get(from)
    if (!edited.value || !piece) return
    const pieces = new Map(edited.value)
    pieces.delete(from)
    if (to !== null) pieces.set(to, piece)
    edited.value = pieces
}

/** Returns whether the first field of a FEN is well formed, legal or not. */
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
