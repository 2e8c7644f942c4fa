// A search tree: parents, children, search order, and the step at which each score became known.

import type { Color, Score, Trace, TraceNode } from "./api"
import { sanText, textOf } from "./format"
import { texts } from "./texts/board"

/** One step of the search: entering a node, or leaving it with its score. */
export interface Step {
    node: number
    leaves: boolean
}

export interface Tree {
    nodes: TraceNode[]
    /** The children of each node, in search order. */
    children: number[][]
    /** The children of each node, best first for the side to move. */
    sorted: number[][]
    roots: number[]
    steps: Step[]
    truncated: boolean
}

/** Returns a search's tree. `turn` is the side to move at the root. */
export function treeOf({ nodes, truncated }: Trace, turn: Color): Tree {
    const children: number[][] = nodes.map(() => [])
    const roots: number[] = []
    nodes.forEach(({ parent }, index) => {
        const siblings = parent === null ? roots : children[parent]
        siblings?.push(index)
    })
    const sorted = children.map((moves, index) =>
        bestFirst(moves, nodes, isTurnOfRoot(nodes, index) === (turn === "white")),
    )
    return { nodes, children, sorted, roots, steps: stepsOf(roots, children), truncated }
}

/** Whether the side to move at a node is the same as at the root. */
function isTurnOfRoot(nodes: readonly TraceNode[], node: number): boolean {
    let depth = 0
    for (let at = nodes[node]?.parent ?? null; at !== null; at = nodes[at]?.parent ?? null)
        depth += 1
    return depth % 2 === 0
}

/** A mate is worth more than any centipawn score, and an earlier mate more than a later one. */
function worth(score: Score | null): number {
    if (!score) return Number.NaN
    return "cp" in score ? score.cp : (score.mate > 0 ? 1e6 : -1e6) - score.mate
}

/** Sorts moves by score, best first. For equal scores, exact ones come before bounds. */
function bestFirst(
    moves: readonly number[],
    nodes: readonly TraceNode[],
    forWhite: boolean,
): number[] {
    const key = (index: number) => {
        const { score, bound } = nodes[index] ?? { score: null, bound: "exact" }
        const value = worth(score) * (forWhite ? 1 : -1)
        return {
            value: Number.isNaN(value) ? -Infinity : value,
            isExact: bound === "exact" ? 1 : 0,
        }
    }
    return moves.toSorted((a, b) => {
        const [first, second] = [key(a), key(b)]
        return first.value === second.value
            ? second.isExact - first.isExact
            : second.value - first.value
    })
}

function stepsOf(roots: number[], children: number[][]): Step[] {
    const steps: Step[] = []
    const open: Step[] = roots.map((node) => ({ node, leaves: false })).reverse()
    for (let step = open.pop(); step; step = open.pop()) {
        steps.push(step)
        if (step.leaves) continue
        open.push({ node: step.node, leaves: true })
        for (const child of (children[step.node] ?? []).toReversed())
            open.push({ node: child, leaves: false })
    }
    return steps
}

/** Returns the path from the root to a node, inclusive. */
export function pathTo(tree: Tree, node: number): number[] {
    const path: number[] = []
    for (let at: number | null = node; at !== null; at = tree.nodes[at]?.parent ?? null)
        path.unshift(at)
    return path
}

/** Returns the moves from the root to a node, in UCI. */
export const movesTo = (tree: Tree, node: number): string[] =>
    pathTo(tree, node).flatMap((index) => tree.nodes[index]?.move?.uci ?? [])

/** Returns why the search skipped replies to a move, as a sentence; empty for other nodes. */
export function cutoffSentence({ nodes, children }: Tree, node: number): string {
    const [now, replies = []] = [nodes[node], children[node]]
    if (now?.kind !== "cutoff" || !now.move) return ""
    // The last searched reply caused the cutoff.
    const reply = nodes[replies[replies.length - 1] ?? -1]?.move?.san
    return texts.searchTree.refuted(sanText(now.move.san), reply && sanText(reply))
}

export const nodeKindLabel = ({ kind }: TraceNode) => textOf(texts.searchTree.kinds, kind) ?? kind

const signs = { exact: "", lower: "≥ ", upper: "≤ " }

export const boundSign = (node: TraceNode): string => signs[node.bound]

export const formatWindow = (
    { alpha, beta }: TraceNode,
    format: (score: Score) => string,
): string => texts.searchTree.window(alpha ? format(alpha) : "−∞", beta ? format(beta) : "+∞")
