// A search tree: parents and children, search order, and the step at which each score became known.

import type { Score, Trace, TraceNode } from "./api"

/** One step of the search: entering a node, or leaving it with its score. */
export interface Step {
    node: number
    leaves: boolean
}

export interface Tree {
    nodes: TraceNode[]
    children: number[][]
    roots: number[]
    steps: Step[]
    truncated: boolean
}

export function treeOf({ nodes, truncated }: Trace): Tree {
    const children: number[][] = nodes.map(() => [])
    const roots: number[] = []
    nodes.forEach(({ parent }, index) => {
        const siblings = parent === null ? roots : children[parent]
        siblings?.push(index)
    })
    return { nodes, children, roots, steps: stepsOf(roots, children), truncated }
}

function stepsOf(roots: number[], children: number[][]): Step[] {
    const steps: Step[] = []
    const open: Step[] = roots.map((node) => ({ node, leaves: false })).reverse()
    for (let step = open.pop(); step; step = open.pop()) {
        steps.push(step)
        if (step.leaves) continue
        open.push({ node: step.node, leaves: true })
        for (const child of (children[step.node] ?? []).toReversed()) open.push({ node: child, leaves: false })
    }
    return steps
}

/** Returns the path from the root to a node, both included. */
export function pathTo(tree: Tree, node: number): number[] {
    const path: number[] = []
    for (let at: number | null = node; at !== null; at = tree.nodes[at]?.parent ?? null) path.unshift(at)
    return path
}

/** Returns the moves from the root to a node, in UCI. */
export const movesTo = (tree: Tree, node: number): string[] =>
    pathTo(tree, node).flatMap((index) => tree.nodes[index]?.move?.uci ?? [])

const kindLabels: Record<string, string> = {
    complete: "fully searched",
    cutoff: "skipped: one reply already refutes it",
    static_eval: "static evaluation",
    tt_hit: "transposition table hit",
    pruned: "pruned",
    checkmate: "checkmate",
    stalemate: "stalemate",
    repetition: "repetition",
    fifty_moves: "50-move rule",
    insufficient_material: "insufficient material",
    stopped: "search stopped",
    other: "other",
}

export const nodeKindLabel = ({ kind }: TraceNode) => kindLabels[kind] ?? kind

const signs = { exact: "", lower: "≥ ", upper: "≤ " }

export const boundSign = (node: TraceNode): string => signs[node.bound]

export const formatWindow = ({ alpha, beta }: TraceNode, format: (score: Score) => string): string =>
    `${alpha ? format(alpha) : "−∞"} to ${beta ? format(beta) : "+∞"}`
