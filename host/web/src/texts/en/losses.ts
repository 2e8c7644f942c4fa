// What a bad move lost.

import type { Role } from "../../api/types"

type Pieces = Readonly<Record<"q" | "r" | "b" | "n" | "p", readonly [string, string]>>

export const losses = {
    /** One piece and two pieces, as something that a move loses. */
    pieces: {
        q: ["the queen", "two queens"],
        r: ["a rook", "two rooks"],
        b: ["a bishop", "two bishops"],
        n: ["a knight", "two knights"],
        p: ["a pawn", "two pawns"],
    } as Pieces,
    both: (first: string, second: string) => `${first} and ${second}`,
    traded: (lost: string, won: string) => `${lost} for ${won}`,
    exchange: "the exchange",
    allowsMate: (moves: number) => `allows mate in ${moves}`,
    missesMate: (moves: number) => `misses mate in ${moves}`,
    loses: (what: string) => `loses ${what}`,
    misses: (what: string) => `misses winning ${what}`,
    hangs: (role: Role, square: string) => `leaves the ${role} on ${square} hanging`,
    allowsPromotion: "allows a promotion",
    missesPromotion: "misses a promotion",
}
