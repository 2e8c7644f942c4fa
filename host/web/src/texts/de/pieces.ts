// Piece names in the forms that German sentences need.

import type { Color, Role } from "../../api/types"

/** Each piece's name and grammatical gender. */
const pieces: Record<Role, [string, "m" | "f"]> = {
    pawn: ["Bauer", "m"],
    knight: ["Springer", "m"],
    bishop: ["Läufer", "m"],
    rook: ["Turm", "m"],
    queen: ["Dame", "f"],
    king: ["König", "m"],
}
const adjectives = { white: "weiß", black: "schwarz" }

/** Returns the name without a color: `Springer`. */
export const plainName = (role: Role): string => pieces[role][0]

/** Returns the name without an article: `weißer Springer`. */
export function pieceName(color: Color, role: Role): string {
    const [name, gender] = pieces[role]
    return `${adjectives[color]}${gender === "m" ? "er" : "e"} ${name}`
}

/** Returns the name with its article: `der weiße Springer`. */
export function thePiece(color: Color, role: Role): string {
    const [name, gender] = pieces[role]
    return `${gender === "m" ? "der" : "die"} ${adjectives[color]}e ${name}`
}

const accusatives: Record<Role, string> = {
    pawn: "Bauern",
    knight: "Springer",
    bishop: "Läufer",
    rook: "Turm",
    queen: "Dame",
    king: "König",
}

/** Returns the form that follows `durch`: `den weißen Springer`, or `den Springer`. */
export function byPiece(role: Role, color?: Color): string {
    const isMasculine = pieces[role][1] === "m"
    const adjective = color ? `${adjectives[color]}${isMasculine ? "en" : "e"} ` : ""
    return `${isMasculine ? "den" : "die"} ${adjective}${accusatives[role]}`
}

/** Returns `dieser Springer` or `diese Dame`. */
export const thisPiece = (role: Role): string =>
    `${pieces[role][1] === "m" ? "dieser" : "diese"} ${pieces[role][0]}`
