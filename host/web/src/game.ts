// The game: its tree of moves, the current line, the cursor, and the status and legal moves of the
// current position. The page does not implement the rules of chess: positions and legal moves come
// from the host.

import { batch, computed, effect, signal } from "@preact/signals"
import { clientId, clientKey, legalMoves, Problem } from "./api"
import type { Color, LegalMoves, Move } from "./api"
import { resultOf } from "./format"
import type { GameResult } from "./format"
import * as trees from "./tree"
import type { Annotation, Node, PlayedMove, Tree } from "./tree"

export const { opposite } = trees
export type { Node }

export const standardStart = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

export const startFen = signal(standardStart)
export const tree = signal<Tree>(trees.newTree(standardStart.split(" ")[0] ?? ""))
/** The ids of the current line, from the root to its end. */
export const line = signal<readonly number[]>([trees.rootId])
/** The ply of the position on the board. It is less than `plies.length` at an earlier position. */
export const cursor = signal(0)
/** The PGN tags of the game. */
export const tags = signal<Readonly<Record<string, string>>>({})
/** A line that was taken back, its place among its siblings, and its end. */
interface Undone {
    node: number
    index: number
    end: number
}
/** Lines that redo can restore, the next one last. */
const undone = signal<readonly Undone[]>([])
/** Increases with each game, to detect state of a previous game. */
export const gameNumber = signal(0)

/** The moves of the current line. */
export const plies = computed<Node[]>(() =>
    line.value.slice(1).map((id) => trees.nodeOf(tree.value, id)),
)
export const currentId = computed(() => idAfter(cursor.value))
export const currentNode = computed(() => trees.nodeOf(tree.value, currentId.value))
export const endId = computed(() => idAfter(line.value.length - 1))
export const canRedo = computed(() => undone.value.length > 0)

/** The last response from the host, with its position. */
const lastResponse = signal<{ game: number; node: number; response: LegalMoves } | null>(null)
/** The status and legal moves of the current position; null until the host has responded. */
export const positionInfo = computed(() => {
    const last = lastResponse.value
    return last?.game === gameNumber.value && last.node === currentId.value ? last.response : null
})
/** The error from the last request for the current position. */
export const positionError = signal<Problem | null>(null)

export const atEnd = computed(() => cursor.value === plies.value.length)
export const placement = computed(() => placementAfter(cursor.value))
export const lastMove = computed(() => plies.value[cursor.value - 1]?.uci ?? null)
export const startTurn = computed<Color>(() =>
    startFen.value.split(" ")[1] === "b" ? "black" : "white",
)
export const turn = computed<Color>(() => turnAfter(cursor.value))
export const turnAfter = (count: number): Color =>
    count % 2 === 0 ? startTurn.value : opposite(startTurn.value)
export const status = computed(() => positionInfo.value?.game.status ?? null)
/**
 * The opening of the current position. The last one stays until the host has responded, to avoid
 * flicker.
 */
export const opening = computed(() => lastResponse.value?.response.game.opening ?? null)
export const legal = computed<Move[]>(() => positionInfo.value?.moves ?? [])
/** The result at the current position: by the rules, by resignation, by a claim or from a PGN. */
export const result = computed<GameResult | null>(
    () => currentNode.value.result ?? (status.value ? resultOf(status.value) : null),
)

/** Whether the game is over at the end of the current line. */
export const isOver = computed(() =>
    atEnd.value
        ? result.value !== null
        : trees.nodeOf(tree.value, endId.value).result !== undefined,
)

/** Returns the node after a number of plies of the current line. */
export const idAfter = (count: number): number => line.value[count] ?? trees.rootId
export const placementAfter = (count: number): string =>
    trees.nodeOf(tree.value, idAfter(count)).placement

/** A starting position and moves, as sent in requests. */
export interface Moves {
    fen: string
    moves: string[]
}

/** Returns the current line up to a ply. */
export const gameForm = (count = cursor.value): Moves => ({
    fen: startFen.value,
    moves: plies.value.slice(0, count).map((ply) => ply.uci),
})

/** Returns the moves that lead to a node. */
export const gameTo = (id: number): Moves => ({
    fen: startFen.value,
    moves: trees
        .pathTo(tree.value, id)
        .slice(1)
        .map((node) => trees.nodeOf(tree.value, node).uci),
})

/** Returns the node after these moves; null if the game does not contain them. */
export const nodeAfter = ({ fen, moves }: Moves): number | null =>
    fen === startFen.value ? trees.nodeAfter(tree.value, moves) : null

/** Returns whether these moves lead to the current position. */
export const isCurrent = (game: Moves): boolean => nodeAfter(game) === currentId.value

/** Returns whether the current line contains a node. */
export const isOnLine = (id: number): boolean => line.value.includes(id)

let activeRequest: AbortController | null = null

/** Requests the legal moves of the current position. */
effect(() => {
    // Access depends on the client, so changing the client repeats the request.
    const [game, node] = [
        gameNumber.value,
        currentId.value,
        clientId.value,
        clientKey.value,
    ] as const
    activeRequest?.abort()
    const controller = new AbortController()
    activeRequest = controller
    const path = trees.pathTo(tree.peek(), node).slice(1)
    const form = {
        fen: startFen.peek(),
        moves: path.map((id) => trees.nodeOf(tree.peek(), id).uci),
    }
    legalMoves(form, controller.signal).then(
        (response) => {
            if (activeRequest !== controller) return
            const over = resultOf(response.game.status)
            batch(() => {
                lastResponse.value = { game, node, response }
                positionError.value = null
                // If a game continued after a draw, the recorded result counts.
                const isKnown = trees.nodeOf(tree.peek(), node).result !== undefined
                if (over && !(response.game.drawn_at && isKnown)) setResult(node, over)
            })
        },
        (error: unknown) => {
            if (activeRequest === controller && error instanceof Problem)
                positionError.value = error
        },
    )
})

export function goTo(count: number): void {
    cursor.value = Math.max(0, Math.min(plies.value.length, count))
}

/** Goes to a node. The current line stays if it contains the node. */
export function goToNode(id: number): void {
    batch(() => {
        if (!isOnLine(id)) line.value = trees.lineThrough(tree.value, id)
        cursor.value = line.value.indexOf(id)
    })
}

/** Goes to the previous (-1) or next (1) variation at the last branch before the cursor. */
export function goToSibling(by: number): void {
    for (let count = cursor.value; count > 0; count -= 1) {
        const { children } = trees.nodeOf(tree.value, idAfter(count - 1))
        const next = children[children.indexOf(line.value[count] ?? -1) + by]
        if (next !== undefined) return goToNode(next)
    }
}

export const playedMove = (move: Pick<Move, "uci" | "san">, after: string): PlayedMove => ({
    uci: move.uci,
    san: move.san,
    placement: after.split(" ")[0] ?? after,
})

/**
 * Plays a move after a node. If the move exists, only steps to it. A new move becomes a variation
 * if the node already has another move. The cursor follows if it was at the node. Returns the id of
 * the new position.
 */
export function playAfter(parent: number, move: PlayedMove & Annotation): number {
    const follows = parent === currentId.value
    const isNew = !trees.childWith(tree.value, parent, move.uci)
    return batch(() => {
        const again = undone.value.find(
            ({ node }) =>
                trees.nodeOf(tree.value, node).parent === parent &&
                trees.nodeOf(tree.value, node).uci === move.uci,
        )
        if (again) restoreOne(again, move)
        const added = trees.withMove(tree.value, parent, move)
        tree.value = added.tree
        // The moves taken back become a variation of the new move.
        if (isNew && !again) {
            for (const { node } of undone.value) tree.value = trees.attached(tree.value, node)
            undone.value = []
        }
        if (follows || (isOnLine(parent) && parent === endId.value)) {
            const at = cursor.value
            if (!isOnLine(added.id)) line.value = trees.lineThrough(tree.value, added.id)
            cursor.value = follows ? at + 1 : at
        }
        return added.id
    })
}

/** Restores the first move of a line that was taken back. The rest of the line stays taken back. */
function restoreOne(line: Undone, move: PlayedMove & Annotation): void {
    const path = trees.pathTo(tree.value, line.end)
    const { result, ...known } = trees.nodeOf(tree.value, line.node)
    tree.value = trees.attached(
        trees.withNode(tree.value, { ...known, ...move }),
        line.node,
        line.index,
    )
    const following = known.children.map((node, index): Undone => {
        const isOwn = path.includes(node)
        return {
            node,
            index,
            end: isOwn ? line.end : (trees.lineThrough(tree.value, node).at(-1) ?? node),
        }
    })
    for (const { node } of following) tree.value = trees.detached(tree.value, node)
    const ownLast = following.toSorted(
        (a, b) => Number(path.includes(a.node)) - Number(path.includes(b.node)),
    )
    undone.value = undone.value.flatMap((other) => (other === line ? ownLast : other))
}

/** Adds moves after a node. The cursor stays. */
export function addLine(parent: number, moves: readonly (PlayedMove & Annotation)[]): void {
    batch(() => {
        let at = parent
        for (const move of moves) {
            const added = trees.withMove(tree.value, at, move)
            tree.value = added.tree
            at = added.id
        }
        line.value = [
            ...line.value,
            ...trees.lineThrough(tree.value, endId.value).slice(line.value.length),
        ]
    })
}

export function setResult(id: number, result: GameResult): void {
    const known = trees.nodeOf(tree.value, id).result
    // Setting the same result again changes nothing.
    if (known?.winner !== result.winner || known.reason !== result.reason) annotate(id, { result })
}

export function annotate(id: number, annotation: Annotation): void {
    tree.value = trees.annotated(tree.value, id, annotation)
}

/** Removes the recorded result of a position. A result by the rules still applies. */
export function clearResult(id: number): void {
    const { result, ...node } = trees.nodeOf(tree.value, id)
    tree.value = trees.withNode(tree.value, node)
}

export function makeMainLine(id: number): void {
    tree.value = trees.withMainLine(tree.value, id)
}

/** Deletes a move and everything after it. Returns a function that restores it. */
export function deleteFrom(id: number): () => void {
    const { parent } = trees.nodeOf(tree.value, id)
    if (parent === null) return () => undefined
    const [index, end] = [
        trees.nodeOf(tree.value, parent).children.indexOf(id),
        isOnLine(id) ? endId.value : id,
    ]
    batch(() => {
        const at = isOnLine(id) ? Math.min(cursor.value, line.value.indexOf(id) - 1) : cursor.value
        const here = idAfter(at)
        tree.value = trees.detached(tree.value, id)
        line.value = trees.lineThrough(tree.value, here)
        cursor.value = at
    })
    return () =>
        batch(() => {
            tree.value = trees.attached(tree.value, id, index)
            line.value = trees.lineThrough(tree.value, end)
            cursor.value = line.value.indexOf(id)
        })
}

/** Takes back the moves of the current line after a ply. */
export function takeBack(count: number): void {
    const node = line.value[count + 1]
    if (node === undefined) return
    batch(() => {
        const index = trees.nodeOf(tree.value, idAfter(count)).children.indexOf(node)
        undone.value = [...undone.value, { node, index, end: endId.value }]
        tree.value = trees.detached(tree.value, node)
        line.value = line.value.slice(0, count + 1)
        cursor.value = count
    })
}

/** Restores the moves that were taken back last. */
export function redo(): void {
    const last = undone.value[undone.value.length - 1]
    if (!last) return
    batch(() => {
        undone.value = undone.value.slice(0, -1)
        tree.value = trees.attached(tree.value, last.node, last.index)
        line.value = trees.lineThrough(tree.value, last.end)
        cursor.value = trees.pathTo(tree.value, last.end).length - 1
    })
}

export interface GameState {
    start: string
    nodes: Node[]
    line: readonly number[]
    cursor: number
    tags: Readonly<Record<string, string>>
    undone: readonly Undone[]
}

/** Returns the complete game in a form that can be stored. */
export const gameState = (): GameState => ({
    start: startFen.value,
    nodes: [...tree.value.values()],
    line: line.value,
    cursor: cursor.value,
    tags: tags.value,
    undone: undone.value,
})

/** Replaces the game. */
export function setGame(state: GameState): void {
    batch(() => {
        gameNumber.value += 1
        startFen.value = state.start
        tree.value = new Map(state.nodes.map((node) => [node.id, node]))
        line.value = state.line
        cursor.value = state.cursor
        tags.value = state.tags
        undone.value = state.undone
    })
}

/** Starts a new game. */
export function startGame(fen = standardStart): void {
    const nodes = [...trees.newTree(fen.split(" ")[0] ?? "").values()]
    setGame({ start: fen, nodes, line: [trees.rootId], cursor: 0, tags: {}, undone: [] })
}
