// Legal moves of a piece, and why a move is illegal.

import type { Color, Role } from "../../api/types"
import type { rules as english } from "../en/rules"
import { byPiece, pieceName, plainName, thePiece, thisPiece } from "./pieces"

/** The word for each piece's moves. */
const moves: Record<Role, string> = {
    pawn: "Bauernzüge",
    knight: "Springerzüge",
    bishop: "Läuferzüge",
    rook: "Turmzüge",
    queen: "Damenzüge",
    king: "Königszüge",
}

const capitalized = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`

export const rules = {
    pieceName,
    pieceOn: (color: Color, role: Role, square: string) => `${byPiece(role, color)} auf ${square}`,
    anotherPiece: "eine andere Figur",
    why: {
        own_piece: (_: string) => "durch eine eigene Figur blockiert",
        blocked: (by: string) => `blockiert durch ${by}`,
        pinned: (by: string) => `gefesselt durch ${by}`,
        leaves_king_in_check: (by: string) => `der eigene König stünde im Schach durch ${by}`,
        nothing_to_capture: (_: string) => "dort gibt es nichts zu schlagen",
        no_en_passant: (_: string) => "en passant ist nicht möglich",
        rights_lost: (_: string) => "das Rochaderecht ist verloren",
        castling_out_of_check: (by: string) => `der König steht im Schach durch ${by}`,
        castling_through_check: (by: string, through: string, to: string) =>
            through === to
                ? `${to} ist durch ${by} angegriffen`
                : `der König zöge über ${through}, das durch ${by} angegriffen ist`,
        not_your_turn: (_: string) => "die andere Seite ist am Zug",
        game_over: (_: string) => "die Partie ist beendet",
        moves_differently: (_: string) => "so zieht diese Figur nicht",
        promotion_missing: (_: string) => "er wandelt sich dort um, nenne also die neue Figur",
        promotion_not_allowed: (_: string) => "diese Umwandlung ist nicht möglich",
    },
    movements: {
        pawn_push: "Bauernzug",
        double_push: "Doppelschritt",
        capture: "Schlagzug",
        en_passant: "en passant",
        castling: "Rochade",
        promotion: "Umwandlung",
    },
    spoken: {
        castles: (isShort: boolean) => `${isShort ? "Kurze" : "Lange"} Rochade`,
        move: (role: Role, from: string, takes: boolean, to: string) =>
            role === "pawn"
                ? `${takes ? `${from}-Bauer schlägt ` : ""}${to}`
                : `${plainName(role)} ${from ? `${from} ` : ""}${takes ? "schlägt" : "nach"} ${to}`,
        enPassant: " en passant",
        promotes: (role: Role) => `, wird ${plainName(role)}`,
        check: ", Schach",
        mate: ", Matt",
    },
    legalMoves: (role: Role, squares: string) => `Legale ${moves[role]}: ${squares}.`,
    noLegalMoves: (role: Role) => `${capitalized(thisPiece(role))} hat keine legalen Züge.`,
    cannotMove: (color: Color, role: Role, square: string, reason: string) =>
        `${capitalized(thePiece(color, role))} auf ${square} kann nicht ziehen: ${reason}.`,
    cannotGo: (color: Color, role: Role, from: string, to: string, reason: string) =>
        `${capitalized(thePiece(color, role))} auf ${from} kann nicht nach ${to}: ${reason}.`,
    nullMove: (text: string) =>
        `${text} setzt aus, was im Schach nicht erlaubt ist. Spiele für jede Seite einen Zug.`,
    illegal: (text: string) => `${text} ist hier nicht legal.`,
    noPiece: (text: string, square: string) =>
        `${text} ist hier nicht legal: Auf ${square} steht keine Figur.`,

    pieceTitle: (color: Color, role: Role, square: string) =>
        `${capitalized(thePiece(color, role))} auf ${square}`,
    inspected: (squares: string) => `Legale Züge: ${squares}.`,
    noneLegal: "Keine legalen Züge.",
    illegalSquares: "Nicht erlaubte Felder",
} satisfies typeof english
