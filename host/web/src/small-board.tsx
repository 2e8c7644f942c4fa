// A static board.

import type { Color } from "./api"

interface SmallBoardProps {
    placement: string
    orientation: Color
    /** The last move, in UCI. */
    move?: string
    /** The label for screen readers; empty if the text next to the board describes it. */
    label: string
}

const tile = 40

/** Returns the pieces of a placement by square. */
export function piecesOf(placement: string): Map<string, string> {
    const pieces = new Map<string, string>()
    placement.split("/").forEach((row, index) => {
        let file = 0
        for (const letter of row) {
            if (/\d/.test(letter)) {
                file += Number(letter)
                continue
            }
            const color = letter === letter.toUpperCase() ? "w" : "b"
            pieces.set(`${"abcdefgh"[file]}${8 - index}`, color + letter.toLowerCase())
            file += 1
        }
    })
    return pieces
}

const ranks = [8, 7, 6, 5, 4, 3, 2, 1]

/** Converts pieces by square to the first field of a FEN. */
export function placementOf(pieces: ReadonlyMap<string, string>): string {
    const letter = (piece: string | undefined) => {
        if (!piece) return " "
        const name = piece[1] ?? ""
        return piece.startsWith("w") ? name.toUpperCase() : name
    }
    const row = (rank: number) =>
        [..."abcdefgh"].map((file) => letter(pieces.get(`${file}${rank}`))).join("")
    return ranks.map((rank) => row(rank).replace(/ +/g, (empty) => String(empty.length))).join("/")
}

export function SmallBoard({ placement, orientation, move, label }: SmallBoardProps) {
    const place = (square: string) => {
        const [file, rank] = ["abcdefgh".indexOf(square[0] ?? "a"), Number(square[1]) - 1]
        const [x, y] = orientation === "white" ? [file, 7 - rank] : [7 - file, rank]
        return { x: x * tile, y: y * tile }
    }
    const ends = move ? [move.slice(0, 2), move.slice(2, 4)] : []
    const pattern = `M0 0h${8 * tile}v${8 * tile}h-${8 * tile}z`
    const dark = Array.from({ length: 32 }, (_, index) => {
        const row = Math.floor(index / 4)
        return `M${((index % 4) * 2 + 1 - (row % 2)) * tile} ${row * tile}h${tile}v${tile}h-${tile}z`
    })
    return (
        <svg
            class="small-board"
            viewBox={`0 0 ${8 * tile} ${8 * tile}`}
            {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
        >
            <path class="light" d={pattern} />
            <path class="dark" d={dark.join("")} />
            {ends.map((square) => (
                <rect key={square} class="last" width={tile} height={tile} {...place(square)} />
            ))}
            {[...piecesOf(placement)].map(([square, piece]) => {
                const { x, y } = place(square)
                return <use key={square} href={`#${piece}`} x={x} y={y} />
            })}
        </svg>
    )
}
