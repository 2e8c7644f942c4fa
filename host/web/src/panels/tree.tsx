// The Tree panel: the search tree of an AI. The board shows the selected node.

import { effect, signal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { aiIds, aiName, ais } from "../ais"
import { bestMove, call } from "../api"
import type { Game, Limit } from "../api"
import { AiSelect, LimitField } from "../fields"
import { beginsWith, cursor, gameForm, plies } from "../game"
import type { Moves } from "../game"
import { AiOptions } from "../option-fields"
import { boundSign, formatWindow, movesTo, nodeKindLabel, pathTo, treeOf } from "../trace"
import type { Tree } from "../trace"
import { overlay } from "../view"
import { errorMessage, formatScore } from "../format"

const maxNodes = 2000

const chosen = signal("")
const limit = signal<Limit | null>({ depth: 3 })
/** The search tree, with the game up to the searched position. */
const tree = signal<(Tree & { game: Moves; ai: string }) | null>(null)
const expanded = signal<ReadonlySet<number>>(new Set())
const selected = signal<number | null>(null)
/** The current step of the search; null shows the whole tree. */
const currentStep = signal<number | null>(null)
const message = signal<string | null>(null)
const activeRequest = signal<AbortController | null>(null)

function stop(): void {
    activeRequest.value?.abort()
    activeRequest.value = null
}

async function requestTree(ai: string): Promise<void> {
    const controller = new AbortController()
    activeRequest.value = controller
    message.value = null
    tree.value = null
    const game = gameForm()
    try {
        const request = { game, ai, ...(limit.value ? { limit: limit.value } : {}), trace: { nodes: maxNodes } }
        const reply = await bestMove(request, () => undefined, controller.signal)
        if (!reply.trace || reply.trace.nodes.length === 0) {
            message.value = `${aiName(ai)} returned an empty search tree.`
        } else if (beginsWith(game)) {
            const found = treeOf(reply.trace)
            tree.value = { ...found, game, ai }
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
plies.subscribe(() => {
    if (tree.peek() && !beginsWith(tree.peek()?.game ?? gameForm())) tree.value = null
})

/** Deselects the node when the user steps through the game, so that the board shows the game. */
cursor.subscribe(() => (selected.value = null))

/** Moves by a number of steps of the search. */
function stepBy(by: number): void {
    const now = tree.value
    if (!now) return
    const next = Math.max(0, Math.min(now.steps.length - 1, (currentStep.value ?? -1) + by))
    currentStep.value = next
    const step = now.steps[next]
    if (!step) return
    selected.value = step.node
    expanded.value = new Set([...expanded.value, ...pathTo(now, step.node).slice(0, -1)])
}

/** Returns the nodes with a known score at the current step; null for all. */
function knownNodes(tree: Tree): ReadonlySet<number> | null {
    if (currentStep.value === null) return null
    return new Set(tree.steps.slice(0, currentStep.value + 1).flatMap((step) => (step.leaves ? step.node : [])))
}

/** Returns the visible nodes, from top to bottom. */
function visible(tree: Tree): number[] {
    const found: number[] = []
    const open = [...tree.roots].reverse()
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
        found.push(node)
        if (expanded.value.has(node)) open.push(...(tree.children[node] ?? []).toReversed())
    }
    return found
}

function toggle(node: number, open: boolean): void {
    const next = new Set(expanded.value)
    if (open) next.add(node)
    else next.delete(node)
    expanded.value = next
}

function onKeyDown(event: KeyboardEvent, tree: Tree): void {
    const node = selected.value ?? tree.roots[0] ?? 0
    const all = visible(tree)
    const at = all.indexOf(node)
    const select = (node: number | null | undefined) => {
        if (node !== null && node !== undefined) selected.value = node
    }
    const keys: Record<string, () => void> = {
        ArrowDown: () => select(all[at + 1]),
        ArrowUp: () => select(all[at - 1]),
        ArrowRight: () => (expanded.value.has(node) ? select(tree.children[node]?.[0]) : toggle(node, true)),
        ArrowLeft: () => (expanded.value.has(node) ? toggle(node, false) : select(tree.nodes[node]?.parent)),
        Home: () => select(all[0]),
        End: () => select(all[all.length - 1]),
        Enter: () => toggle(node, !expanded.value.has(node)),
        " ": () => stepBy(1),
        Backspace: () => stepBy(-1),
    }
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
}

function Row({ tree, node, level, known }: { tree: Tree; node: number; level: number; known: ReadonlySet<number> | null }) {
    const now = tree.nodes[node]
    if (!now) return null
    const children = tree.children[node] ?? []
    const open = expanded.value.has(node)
    const isSelected = selected.value === node
    const hasScore = known === null || known.has(node)
    return (
        <div
            role="treeitem"
            id={`node-${node}`}
            aria-level={level}
            aria-selected={isSelected}
            {...(children.length > 0 ? { "aria-expanded": open } : {})}
            class={`node${isSelected ? " selected" : ""}${hasScore ? "" : " unknown"}`}
            style={{ paddingInlineStart: `${Math.min(level, 12) * 14}px` }}
            onClick={() => {
                selected.value = node
                if (children.length > 0) toggle(node, !open)
            }}
        >
            <span class="twist" aria-hidden="true">
                {children.length > 0 ? (open ? "▾" : "▸") : "·"}
            </span>
            <span class="move">{now.move?.san ?? "Root position"}</span>
            <span class="score">{hasScore ? `${boundSign(now)}${formatScore(now.score)}` : "…"}</span>
            <span class="muted node-kind">{hasScore ? nodeKindLabel(now) : ""}</span>
        </div>
    )
}

function levelOf(tree: Tree, node: number): number {
    return pathTo(tree, node).length
}

function TreeView({ tree }: { tree: Tree }) {
    const list = useRef<HTMLDivElement>(null)
    const known = knownNodes(tree)
    const now = selected.value === null ? null : tree.nodes[selected.value]
    useEffect(
        () =>
            effect(() => {
                const row = selected.value === null ? null : list.current?.querySelector(`#node-${selected.value}`)
                row?.scrollIntoView({ block: "nearest" })
            }),
        [],
    )
    return (
        <>
            <div class="buttons" role="group" aria-label="Step through the search">
                <button type="button" onClick={() => stepBy(-1)} disabled={currentStep.value === null || currentStep.value === 0}>
                    Step back
                </button>
                <button type="button" class="primary" onClick={() => stepBy(1)}>
                    {currentStep.value === null ? "Step through" : "Step"}
                </button>
                <button type="button" onClick={() => (currentStep.value = null)} disabled={currentStep.value === null}>
                    Show all
                </button>
            </div>
            <p class="hint">
                {currentStep.value === null
                    ? `${tree.nodes.length} nodes${tree.truncated ? " (truncated)" : ""}. Press Space to step through the search.`
                    : `Step ${currentStep.value + 1} of ${tree.steps.length}`}
            </p>
            <div
                class="tree"
                role="tree"
                ref={list}
                tabIndex={0}
                aria-label="Search tree"
                aria-activedescendant={`node-${selected.value ?? 0}`}
                onKeyDown={(event) => onKeyDown(event, tree)}
            >
                {visible(tree).map((node) => (
                    <Row key={node} tree={tree} node={node} level={levelOf(tree, node)} known={known} />
                ))}
            </div>
            {now && (
                <p class="hint" data-testid="node">
                    Remaining depth {now.depth}, window {formatWindow(now, formatScore)}, {nodeKindLabel(now)}.
                </p>
            )}
        </>
    )
}

/** Shows the position of the selected node on the board. Returns a function that stops it. */
function showSelectedNode(): () => void {
    let latestRequest = 0
    const stop = effect(() => {
        const [now, node] = [tree.value, selected.value]
        latestRequest += 1
        const request = latestRequest
        if (!now || node === null) {
            overlay.value = null
            return
        }
        const { game } = now
        const moves = movesTo(now, node)
        const last = moves[moves.length - 1]
        call<{ game: Game }>("/v1/validate", { game: { ...game, moves: [...game.moves, ...moves] } }).then(
            ({ game }) => {
                if (request !== latestRequest) return
                const ends = last ? [last.slice(0, 2), last.slice(2, 4)] : []
                const marks = ends.map((square) => ({ square, kind: "last" as const }))
                overlay.value = { placement: game.fen.split(" ")[0] ?? "", marks, arrows: [] }
            },
            () => undefined,
        )
    })
    return () => {
        stop()
        latestRequest += 1
        overlay.value = null
    }
}

export function TreePanel() {
    useEffect(showSelectedNode, [])
    const capable = ais.value.filter((ai) => ai.capabilities.trace_nodes > 0).map((ai) => ai.id)
    const ai = chosen.value || (capable[0] ?? aiIds.value[0] ?? "")
    const isSupported = capable.includes(ai)
    return (
        <>
            <div class="fields">
                <AiSelect label="AI" value={ai} change={(id) => (chosen.value = id)} />
                <LimitField of={[ai]} value={limit.value} change={(value) => (limit.value = value)} />
            </div>
            <AiOptions id={ai} />
            <div class="buttons">
                {activeRequest.value ? (
                    <button type="button" class="primary" onClick={stop}>
                        Stop
                    </button>
                ) : (
                    <button type="button" class="primary" onClick={() => void requestTree(ai)} disabled={!isSupported}>
                        Show search tree
                    </button>
                )}
                {activeRequest.value && <span class="pulse" role="status" aria-label={`${aiName(ai)} is searching`} />}
            </div>
            {message.value && <p class="hint">{message.value}</p>}
            {ai && !isSupported && (
                <p class="hint">
                    {aiName(ai)} does not support search trees.{capable.length > 0 ? ` Supported by: ${capable.map(aiName).join(", ")}.` : ""}
                </p>
            )}
            {!tree.value && !message.value && isSupported && (
                <p class="hint">Shows the positions that an AI searched, in search order, with their scores.</p>
            )}
            {tree.value && <TreeView tree={tree.value} />}
        </>
    )
}
