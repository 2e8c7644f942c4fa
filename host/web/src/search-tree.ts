// An AI's search tree: the request, the selected node, and the steps of the search.

import { computed, effect, signal } from "@preact/signals"
import { aiName } from "./ais"
import { bestMove } from "./api"
import type { Limit } from "./api"
import { cursor, gameForm, nodeAfter, tree as gameTree, turn } from "./game"
import type { Moves } from "./game"
import { pathTo, treeOf } from "./trace"
import type { Tree } from "./trace"
import { errorMessage } from "./format"
import { texts } from "./texts/board"

const maxNodes = 2000

export const chosen = signal("")
export const limit = signal<Limit | null>({ depth: 3 })
/** The search tree, with the game up to its root and the answer that contained it. */
export const tree = signal<(Tree & { game: Moves; ai: string; reply: object }) | null>(null)
export const expanded = signal<ReadonlySet<number>>(new Set())
export const selected = signal<number | null>(null)
/** The current step of the search; null shows the whole tree. */
export const currentStep = signal<number | null>(null)
export const message = signal<string | null>(null)
export const activeRequest = signal<AbortController | null>(null)

export function stop(): void {
    activeRequest.value?.abort()
    activeRequest.value = null
}

export async function requestTree(ai: string): Promise<void> {
    const controller = new AbortController()
    activeRequest.value = controller
    message.value = null
    tree.value = null
    const [game, searchedTurn] = [gameForm(), turn.value]
    try {
        const request = {
            game,
            ai,
            ...(limit.value ? { limit: limit.value } : {}),
            trace: { nodes: maxNodes },
            analysis: true,
        }
        const reply = await bestMove(request, () => undefined, controller.signal)
        if (!reply.trace || reply.trace.nodes.length === 0) {
            message.value = texts.searchTree.empty(aiName(ai))
        } else if (nodeAfter(game) !== null) {
            const found = treeOf(reply.trace, searchedTurn)
            tree.value = { ...found, game, ai, reply }
            expanded.value = new Set(found.roots)
            selected.value = found.roots[0] ?? null
            currentStep.value = null
        }
    } catch (error) {
        if (!controller.signal.aborted) message.value = errorMessage(aiName(ai), error)
    }
    if (activeRequest.value === controller) activeRequest.value = null
}

/** Removes the tree when the game no longer contains its position. */
gameTree.subscribe(() => {
    const now = tree.peek()
    if (now && nodeAfter(now.game) === null) tree.value = null
})

/** Stepping through the game deselects the node: the board shows the game. */
cursor.subscribe(() => (selected.value = null))

export function showAll(): void {
    isPlaying.value = false
    currentStep.value = null
}

/** Moves through the search by a number of steps. */
export function stepBy(by: number): void {
    const now = tree.value
    if (!now) return
    const next = Math.max(0, Math.min(now.steps.length - 1, (currentStep.value ?? -1) + by))
    currentStep.value = next
    const step = now.steps[next]
    if (!step) return
    selected.value = step.node
    expanded.value = new Set([...expanded.value, ...pathTo(now, step.node).slice(0, -1)])
}

/**
 * The nodes of the best line: from the root, always the first child with its parent's exact score.
 */
export const bestLine = computed<ReadonlySet<number>>(() => {
    const now = tree.value
    const line = new Set<number>()
    for (let at = now?.roots[0]; now && at !== undefined;) {
        line.add(at)
        const score = JSON.stringify(now.nodes[at]?.score)
        at = now.children[at]?.find(
            (child) =>
                JSON.stringify(now.nodes[child]?.score) === score &&
                now.nodes[child]?.bound === "exact",
        )
    }
    return line
})

/** Whether the steps of the search are being played automatically. */
export const isPlaying = signal(false)
const stepMs = 400
effect(() => {
    const [now, step] = [tree.value, currentStep.value]
    if (!isPlaying.value) return undefined
    if (!now || (step !== null && step >= now.steps.length - 1)) {
        isPlaying.value = false
        return undefined
    }
    const timer = setTimeout(() => stepBy(1), stepMs)
    return () => clearTimeout(timer)
})

/** Returns the nodes with a known score at the current step; null if the whole tree is shown. */
export function knownNodes(tree: Tree): ReadonlySet<number> | null {
    if (currentStep.value === null) return null
    return new Set(
        tree.steps
            .slice(0, currentStep.value + 1)
            .flatMap((step) => (step.leaves ? step.node : [])),
    )
}

/**
 * Returns the shown children of a node: best first, but in search order while the user steps
 * through the search.
 */
export const shownChildren = (tree: Tree, node: number): readonly number[] =>
    (currentStep.value === null ? tree.sorted[node] : tree.children[node]) ?? []

/** Returns the visible nodes, from top to bottom. */
export function visible(tree: Tree): number[] {
    const found: number[] = []
    const open = [...tree.roots].reverse()
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
        found.push(node)
        if (expanded.value.has(node)) open.push(...shownChildren(tree, node).toReversed())
    }
    return found
}

export function toggle(node: number, open: boolean): void {
    const next = new Set(expanded.value)
    if (open) next.add(node)
    else next.delete(node)
    expanded.value = next
}
