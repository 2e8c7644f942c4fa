// Why a move is illegal, and the legal moves of a piece.

import type { Color, Role } from "../../api/types"

const pieceName = (color: Color, role: Role) => `${color} ${role}`

export const rules = {
    pieceName,
    /** A piece that stops a move. */
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
        not_your_turn: (_: string) => "the other side is to move",
        game_over: (_: string) => "the game is over",
    },
    movements: {
        pawn_push: "pawn push",
        double_push: "double push",
        capture: "capture",
        en_passant: "en passant",
        castling: "castling",
        promotion: "promotion",
    },
    throughAttack: (role: Role, by: string) =>
        `the king would pass through a square attacked by the ${role} on ${by}`,
    throughAttacked: (square: string, role: Role, by: string) =>
        `the king would pass through ${square}, attacked by the ${role} on ${by}`,
    isAttacked: (square: string, role: Role, by: string) =>
        `${square} is attacked by the ${role} on ${by}`,
    legalMoves: (role: Role, moves: string) => `Legal ${role} moves: ${moves}.`,
    noLegalMoves: (role: Role) => `This ${role} has no legal moves.`,
    cannotGo: (color: Color, role: Role, from: string, to: string, reason: string) =>
        `The ${pieceName(color, role)} on ${from} can’t go to ${to}: ${reason}.`,
    movesDifferently: "it does not move like that",
    kingHasMoved: "the king is not on its square",
    nullMove: (text: string) =>
        `${text} passes the turn, which chess does not allow; play a move for each side.`,
    illegal: (text: string) => `${text} isn’t legal here.`,
    illegalBecause: (text: string, reason: string) => `${text} isn’t legal here: ${reason}.`,
    stopped: (square: string, reason: string) => `the piece on ${square} is stopped: ${reason}`,

    pieceTitle: (color: Color, role: Role, square: string) =>
        `The ${pieceName(color, role)} on ${square}`,
    inspected: (moves: string) => `Legal moves: ${moves}.`,
    noneLegal: "No legal moves.",
    illegalSquares: "Illegal squares",
}
