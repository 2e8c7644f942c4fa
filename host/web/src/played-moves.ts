// Moves of a line with their boards, computed by the host.

import { convert } from "./api"
import type { PlayedMove } from "./tree"

/** Returns the moves of a line with their boards. */
export async function playedMoves(form: {
    fen: string
    moves?: string[]
    san?: string[]
}): Promise<PlayedMove[]> {
    if ((form.moves ?? form.san)?.length === 0) return []
    const [{ boards }, { san }, { uci }] = await Promise.all([
        convert<"boards", number[][][]>(form, "boards"),
        convert<"san", string[]>(form, "san"),
        convert<"uci", string[]>(form, "uci"),
    ])
    return uci.map((move, index) => ({
        uci: move,
        san: san[index] ?? move,
        placement: placementOfBoard(boards[index + 1] ?? []),
    }))
}

const letters = " pnbrqk"

/**
 * Converts the host's board to the first field of a FEN. Row 0 is rank 8, and Black's pieces are
 * negative.
 */
function placementOfBoard(board: number[][]): string {
    const letter = (code: number) => {
        const name = letters[Math.abs(code)] ?? " "
        return code > 0 ? name.toUpperCase() : name
    }
    const row = (codes: number[]) =>
        codes
            .map(letter)
            .join("")
            .replace(/ +/g, (empty) => String(empty.length))
    return board.map(row).join("/")
}
