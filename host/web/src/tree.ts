// The moves of a game as a tree. The first child of a position continues its line, and other
// children begin variations.

import type { GameResult } from "./format"
import type { Color } from "./api"

/** An arrow, or a circle if it has no end. */
export interface Shape {
    from: string
    to?: string
    color: ShapeColor
}
export type ShapeColor = "green" | "red" | "yellow" | "blue"

/** A position with the move that led to it. The root has no move. */
export interface Node {
    id: number
    parent: number | null
    children: readonly number[]
    uci: string
    san: string
    /** The board after the move, as the first field of a FEN. */
    placement: string
    /** The comment after the move. */
    comment?: string
    /** The comment before the first move of a line. */
    commentBefore?: string
    /** Numeric annotation glyphs: 1 for `!`, 2 for `?`. */
    nags?: readonly number[]
    /** The player's clock after the move, in seconds. */
    clockSeconds?: number
    /** Arrows and circles on the position, drawn by the user or read from a PGN. */
    shapes?: readonly Shape[]
    /** Commands in a PGN comment that the page does not read: `[%emt 0:00:03]`. */
    commands?: string
    /** The result, if the game ended here. */
    result?: GameResult
}

/** The nodes by id. Ids are never reused within a game. */
export type Tree = ReadonlyMap<number, Node>

export type PlayedMove = Pick<Node, "uci" | "san" | "placement">
export type Annotation = Pick<
    Node,
    "comment" | "commentBefore" | "nags" | "clockSeconds" | "shapes" | "commands" | "result"
>

export const rootId = 0

export const newTree = (placement: string): Tree =>
    new Map([[rootId, { id: rootId, parent: null, children: [], uci: "", san: "", placement }]])

export function nodeOf(tree: Tree, id: number): Node {
    const node = tree.get(id)
    if (!node) throw new Error(`no node ${id} in the tree`)
    return node
}

export const withNode = (tree: Tree, node: Node): Tree => new Map(tree).set(node.id, node)

export const annotated = (tree: Tree, id: number, annotation: Annotation): Tree =>
    withNode(tree, { ...nodeOf(tree, id), ...annotation })

export const childWith = (tree: Tree, id: number, uci: string): Node | undefined =>
    nodeOf(tree, id)
        .children.map((child) => nodeOf(tree, child))
        .find((child) => child.uci === uci)

/**
 * Adds a move after a node, as a variation if the node has a child. Returns the id of the new node,
 * or of an existing node with the same move.
 */
export function withMove(
    tree: Tree,
    parent: number,
    move: PlayedMove & Annotation,
): { tree: Tree; id: number } {
    const known = childWith(tree, parent, move.uci)
    if (known) return { tree, id: known.id }
    const id = Math.max(...tree.keys()) + 1
    const before = nodeOf(tree, parent)
    const next = new Map(tree).set(parent, { ...before, children: [...before.children, id] })
    return { tree: next.set(id, { ...move, id, parent, children: [] }), id }
}

/** Returns the ids from the root to a node, inclusive. */
export function pathTo(tree: Tree, id: number): number[] {
    const path: number[] = []
    for (let at: number | null = id; at !== null; at = nodeOf(tree, at).parent) path.unshift(at)
    return path
}

/** Returns the line through a node: the path to it, continued by first children. */
export function lineThrough(tree: Tree, id: number): number[] {
    const line = pathTo(tree, id)
    for (
        let [next] = nodeOf(tree, id).children;
        next !== undefined;
        [next] = nodeOf(tree, next).children
    )
        line.push(next)
    return line
}

/** Returns the node after these moves from the root; null if the tree does not contain them. */
export function nodeAfter(tree: Tree, moves: readonly string[]): number | null {
    let at = rootId
    for (const uci of moves) {
        const child = childWith(tree, at, uci)
        if (!child) return null
        at = child.id
    }
    return at
}

/** Whether a node is on the main line. */
export const isMain = (tree: Tree, id: number): boolean => variationStart(tree, id) === null

/** Returns the first node of the innermost variation around a node; null on the main line. */
export function variationStart(tree: Tree, id: number): number | null {
    for (let at = nodeOf(tree, id); at.parent !== null; at = nodeOf(tree, at.parent)) {
        if (nodeOf(tree, at.parent).children[0] !== at.id) return at.id
    }
    return null
}

/** Promotes the innermost variation around a node: it becomes the continuation of its line. */
export function promoted(tree: Tree, id: number): Tree {
    const start = variationStart(tree, id)
    const parent = start === null ? null : nodeOf(tree, start).parent
    if (start === null || parent === null) return tree
    const { children } = nodeOf(tree, parent)
    return withNode(tree, {
        ...nodeOf(tree, parent),
        children: [start, ...children.filter((child) => child !== start)],
    })
}

/** Makes the line through a node the main line. */
export function withMainLine(tree: Tree, id: number): Tree {
    let next = tree
    while (!isMain(next, id)) next = promoted(next, id)
    return next
}

/**
 * Removes a node from its parent's children. The node stays in the tree and can be attached again.
 */
export function detached(tree: Tree, id: number): Tree {
    const { parent } = nodeOf(tree, id)
    if (parent === null) return tree
    const before = nodeOf(tree, parent)
    return withNode(tree, { ...before, children: before.children.filter((child) => child !== id) })
}

/** Attaches a detached node to its parent, after the other children or at an index. */
export function attached(tree: Tree, id: number, index = Infinity): Tree {
    const { parent } = nodeOf(tree, id)
    if (parent === null || nodeOf(tree, parent).children.includes(id)) return tree
    const before = nodeOf(tree, parent)
    return withNode(tree, {
        ...before,
        children: before.children.toSpliced(Math.min(index, before.children.length), 0, id),
    })
}

export const opposite = (color: Color): Color => (color === "white" ? "black" : "white")
