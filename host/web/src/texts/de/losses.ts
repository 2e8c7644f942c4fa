// What a bad move lost.

import type { Role } from "../../api/types"
import type { losses as english } from "../en/losses"
import { byPiece } from "./pieces"

export const losses = {
    pieces: {
        q: ["die Dame", "zwei Damen"],
        r: ["einen Turm", "zwei Türme"],
        b: ["einen Läufer", "zwei Läufer"],
        n: ["einen Springer", "zwei Springer"],
        p: ["einen Bauern", "zwei Bauern"],
    },
    both: (first: string, second: string) => `${first} und ${second}`,
    traded: (lost: string, won: string) => `${lost} für ${won}`,
    exchange: "die Qualität",
    allowsMate: (moves: number) => `erlaubt Matt in ${moves}`,
    missesMate: (moves: number) => `verpasst Matt in ${moves}`,
    loses: (what: string) => `verliert ${what}`,
    misses: (what: string) => `verpasst es, ${what} zu gewinnen`,
    hangs: (role: Role, square: string) => `lässt ${byPiece(role)} auf ${square} hängen`,
    allowsPromotion: "erlaubt eine Umwandlung",
    missesPromotion: "verpasst eine Umwandlung",
} satisfies typeof english
