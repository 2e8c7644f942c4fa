// Legal moves of a piece, and why a move is illegal.

import type { Color, Role } from "../../api/types"

const pieceName = (color: Color, role: Role) => `${color} ${role}`

const capitalized = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`

export const rules = {
    pieceName,
    /** The piece that prevents a move. */
    pieceOn: (color: Color, role: Role, square: string) =>
        `the ${pieceName(color, role)} on ${square}`,
    anotherPiece: "another piece",
    why: {
        own_piece: (_: string) => "blocked by its own piece",
        blocked: (by: string) => `blocked by ${by}`,
        pinned: (by: string) => `pinned by ${by}`,
        leaves_king_in_check: (by: string) => `its king would be in check from ${by}`,
        nothing_to_capture: (_: string) => "no piece to capture",
        no_en_passant: (_: string) => "en passant is not possible",
        rights_lost: (_: string) => "castling rights lost",
        castling_out_of_check: (by: string) => `the king is in check from ${by}`,
        castling_through_check: (by: string, through: string, to: string) =>
            through === to
                ? `${to} is attacked by ${by}`
                : `the king would pass through ${through}, attacked by ${by}`,
        not_your_turn: (_: string) => "it is the other side’s turn",
        game_over: (_: string) => "the game is over",
        moves_differently: (_: string) => "it does not move like that",
        promotion_missing: (_: string) => "it promotes there, so name the new piece",
        promotion_not_allowed: (_: string) => "this promotion is not possible",
    },
    movements: {
        pawn_push: "pawn push",
        double_push: "double push",
        capture: "capture",
        en_passant: "en passant",
        castling: "castling",
        promotion: "promotion",
    },
    /** A move as a screen reader says it: “Bishop takes f6”. */
    spoken: {
        castles: (isShort: boolean) => `Castles ${isShort ? "kingside" : "queenside"}`,
        move: (role: Role, from: string, takes: boolean, to: string) =>
            role === "pawn"
                ? `${takes ? `${from}-pawn takes ` : ""}${to}`
                : `${capitalized(role)} ${from ? `${from} ` : ""}${takes ? "takes" : "to"} ${to}`,
        enPassant: " en passant",
        promotes: (role: Role) => `, promotes to ${role}`,
        check: ", check",
        mate: ", checkmate",
    },
    legalMoves: (role: Role, moves: string) => `Legal ${role} moves: ${moves}.`,
    noLegalMoves: (role: Role) => `This ${role} has no legal moves.`,
    cannotMove: (color: Color, role: Role, square: string, reason: string) =>
        `The ${pieceName(color, role)} on ${square} can’t move: ${reason}.`,
    cannotGo: (color: Color, role: Role, from: string, to: string, reason: string) =>
        `The ${pieceName(color, role)} on ${from} can’t go to ${to}: ${reason}.`,
    nullMove: (text: string) =>
        `${text} passes the turn, which chess does not allow. Play a move for each side.`,
    illegal: (text: string) => `${text} isn’t legal here.`,
    noPiece: (text: string, square: string) =>
        `${text} isn’t legal here: there is no piece on ${square}.`,

    pieceTitle: (color: Color, role: Role, square: string) =>
        `The ${pieceName(color, role)} on ${square}`,
    inspected: (moves: string) => `Legal moves: ${moves}.`,
    noneLegal: "No legal moves.",
    illegalSquares: "Illegal squares",
}
