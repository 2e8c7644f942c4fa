// The name of a move with its number.

import { sanText } from "./format"
import { startFen, tree } from "./game"
import { moveNumber } from "./move-number"
import { nodeOf, pathTo } from "./tree"

/** Returns a node's move with its number: `12… Nf6`. */
export function moveLabel(id: number): string {
    const ply = pathTo(tree.value, id).length - 2
    return `${moveNumber(ply, true, startFen.value)} ${sanText(nodeOf(tree.value, id).san)}`
}
