/** Returns the move number before a move: `12.`, or `12…` for the first move of a line by Black. */
export function moveNumber(ply: number, first: boolean, fen: string): string {
    const [, color, , , , number] = fen.split(" ")
    const half = ply + (color === "b" ? 1 : 0)
    const full = Number(number ?? 1) + Math.floor(half / 2)
    if (half % 2 === 0) return `${full}.`
    return first ? `${full}…` : ""
}
