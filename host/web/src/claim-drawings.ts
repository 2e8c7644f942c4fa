// What the board draws for a reviewed move: the better move, and the moves and squares of its
// claims.

import type { Claim, MoveReport } from "./api"
import type { Arrow, Mark } from "./board/layers"

const arrowOf = (uci: string, kind: Arrow["kind"]): Arrow => ({
    from: uci.slice(0, 2),
    to: uci.slice(2, 4),
    kind,
})

/**
 * Whether a claim is about the opponent's options after the move. They look different from what the
 * mover missed.
 */
const isThreat = ({ start }: Claim) => start === "after"

const squaresOf = ({ square, by, behind, targets = [] }: Claim) =>
    [square, by?.square, behind?.square, ...targets.map((target) => target.square)].filter(
        (name) => typeof name === "string",
    )

/** Returns the move that creates the claim's motif. Claims about the evaluation have none. */
const moveOf = ({ kind, line, at }: Claim) =>
    kind === "evaluation_term" ? undefined : line[(at ?? 1) - 1]

export function drawingsOf({ move, judgement, best, claims }: MoveReport) {
    const better = judgement && best ? [[best.move.uci, "better"] as const] : []
    const shown = claims.flatMap((claim) => {
        const uci = moveOf(claim)
        return uci ? [[uci, isThreat(claim) ? "threat" : "better"] as const] : []
    })
    const arrows = new Map(
        [...shown, ...better]
            .filter(([uci]) => uci !== move.uci)
            .map(([uci, kind]) => [uci, arrowOf(uci, kind)]),
    )
    const marks = new Map(
        claims.flatMap((claim) =>
            squaresOf(claim).map((square): [string, Mark] => [
                square,
                { square, kind: isThreat(claim) ? "issue" : "inspected" },
            ]),
        ),
    )
    return { arrows: [...arrows.values()], marks: [...marks.values()] }
}
