// Chess960 start positions by their number (Scharnagl numbering: 518 is the orthodox start).

const knightPairs = [
    [0, 1],
    [0, 2],
    [0, 3],
    [0, 4],
    [1, 2],
    [1, 3],
    [1, 4],
    [2, 3],
    [2, 4],
    [3, 4],
] as const

export const maxStart = 959

/** Returns the FEN of a start position. */
export function chess960Fen(number: number): string {
    const rank: (string | null)[] = Array.from({ length: 8 }, () => null)
    const empty = () => rank.flatMap((piece, file) => (piece === null ? file : []))
    const place = (file: number | undefined, piece: string) => {
        if (file !== undefined) rank[file] = piece
    }
    let rest = number
    const next = (count: number) => {
        const digit = rest % count
        rest = Math.floor(rest / count)
        return digit
    }
    place(next(4) * 2 + 1, "b")
    place(next(4) * 2, "b")
    place(empty()[next(6)], "q")
    const free = empty()
    for (const index of knightPairs[rest] ?? []) place(free[index], "n")
    empty().forEach((file, index) => place(file, index === 1 ? "k" : "r"))
    const back = rank.join("")
    const rooks = rank
        .flatMap((piece, file) => (piece === "r" ? ("abcdefgh"[file] ?? "") : []))
        .reverse()
        .join("")
    return `${back}/pppppppp/8/8/8/8/PPPPPPPP/${back.toUpperCase()} w ${rooks.toUpperCase()}${rooks} - 0 1`
}
