// Squares and their coordinates on an 8×8 board.

import type { Color } from "../api"

export const tile = 40
export const boardSize = 8 * tile

const files = "abcdefgh"
export const squareNames = Array.from(
    { length: 64 },
    (_, index) => `${files[index % 8]}${8 - Math.floor(index / 8)}`,
)

/** Returns the column and row of a square, from the top left. */
function place(square: string, orientation: Color): { column: number; row: number } {
    const [file, rank] = [files.indexOf(square[0] ?? "a"), Number(square[1]) - 1]
    return orientation === "white"
        ? { column: file, row: 7 - rank }
        : { column: 7 - file, row: rank }
}

/** Returns the square in a column and row; null outside the board. */
export function squareIn(column: number, row: number, orientation: Color): string | null {
    if (column < 0 || column > 7 || row < 0 || row > 7) return null
    return orientation === "white" ? `${files[column]}${8 - row}` : `${files[7 - column]}${row + 1}`
}

/** Returns the top left corner of a square. */
export function cornerOf(square: string, orientation: Color): { x: number; y: number } {
    const { column, row } = place(square, orientation)
    return { x: column * tile, y: row * tile }
}

/** Returns the neighbouring square as the viewer sees it; the same square at the edge. */
export function neighbour(square: string, right: number, down: number, orientation: Color): string {
    const { column, row } = place(square, orientation)
    return squareIn(column + right, row + down, orientation) ?? square
}

export const isDark = (square: string): boolean =>
    (files.indexOf(square[0] ?? "a") + Number(square[1])) % 2 === 1
