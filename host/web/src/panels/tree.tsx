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
import { boundSign, kindInWords, movesTo, pathTo, treeOf, windowOf } from "../trace"
import type { Tree } from "../trace"
import { overlay } from "../view"
import { faultInWords, scoreInWords } from "../words"

const mostNodes = 2000

const chosen = signal("")
const limit = signal<Limit | null>({ depth: 3 })
/** The search tree, with the game up to the searched position. */
const tree = signal<(Tree & { game: Moves; ai: string }) | null>(null)
const opened = signal<ReadonlySet<number>>(new Set())
const selected = signal<number | null>(null)
/** The current step of the search; null shows the whole tree. */
const walked = signal<number | null>(null)
const words = signal<string | null>(null)
const asking = signal<AbortController | null>(null)

function stop(): void {
    asking.value?.abort()
    asking.value = null
}

async function ask(ai: string): Promise<void> {
    const mine = new AbortController()
    asking.value = mine
    words.value = null
    tree.value = null
    const game = gameForm()
    try {
        const question = { game, ai, ...(limit.value ? { limit: limit.value } : {}), trace: { nodes: mostNodes } }
        const reply = await bestMove(question, () => undefined, mine.signal)
        if (!reply.trace || reply.trace.nodes.length === 0) {
            words.value = `${aiName(ai)} returned an empty search tree.`
        } else if (beginsWith(game)) {
            const found = treeOf(reply.trace)
            tree.value = { ...found, game, ai }
            opened.value = new Set(found.roots)
            selected.value = found.roots[0] ?? null
            walked.value = null
        }
    } catch (error) {
        if (!mine.signal.aborted) words.value = faultInWords(aiName(ai), error)
    }
    if (asking.value === mine) asking.value = null
}

/** Removes the tree when the game no longer contains its position. */
plies.subscribe(() => {
    if (tree.peek() && !beginsWith(tree.peek()?.game ?? gameForm())) tree.value = null
})

/** Deselects the node when the user steps through the game, so that the board shows the game. */
cursor.subscribe(() => (selected.value = null))

/** Moves by a number of steps of the search. */
function walk(by: number): void {
    const now = tree.value
    if (!now) return
    const next = Math.max(0, Math.min(now.steps.length - 1, (walked.value ?? -1) + by))
    walked.value = next
    const step = now.steps[next]
    if (!step) return
    selected.value = step.node
    opened.value = new Set([...opened.value, ...pathTo(now, step.node).slice(0, -1)])
}

/** Returns the nodes with a known score at the current step; null for all. */
function knownNodes(tree: Tree): ReadonlySet<number> | null {
    if (walked.value === null) return null
    return new Set(tree.steps.slice(0, walked.value + 1).flatMap((step) => (step.leaves ? step.node : [])))
}

/** Returns the visible nodes, from top to bottom. */
function visible(tree: Tree): number[] {
    const found: number[] = []
    const open = [...tree.roots].reverse()
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
        found.push(node)
        if (opened.value.has(node)) open.push(...(tree.children[node] ?? []).toReversed())
    }
    return found
}

function toggle(node: number, open: boolean): void {
    const next = new Set(opened.value)
    if (open) next.add(node)
    else next.delete(node)
    opened.value = next
}

function pressed(event: KeyboardEvent, tree: Tree): void {
    const node = selected.value ?? tree.roots[0] ?? 0
    const all = visible(tree)
    const at = all.indexOf(node)
    const select = (node: number | null | undefined) => {
        if (node !== null && node !== undefined) selected.value = node
    }
    const keys: Record<string, () => void> = {
        ArrowDown: () => select(all[at + 1]),
        ArrowUp: () => select(all[at - 1]),
        ArrowRight: () => (opened.value.has(node) ? select(tree.children[node]?.[0]) : toggle(node, true)),
        ArrowLeft: () => (opened.value.has(node) ? toggle(node, false) : select(tree.nodes[node]?.parent)),
        Home: () => select(all[0]),
        End: () => select(all[all.length - 1]),
        Enter: () => toggle(node, !opened.value.has(node)),
        " ": () => walk(1),
        Backspace: () => walk(-1),
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
    const open = opened.value.has(node)
    const isSelected = selected.value === node
    const told = known === null || known.has(node)
    return (
        <div
            role="treeitem"
            id={`node-${node}`}
            aria-level={level}
            aria-selected={isSelected}
            {...(children.length > 0 ? { "aria-expanded": open } : {})}
            class={`node${isSelected ? " selected" : ""}${told ? "" : " unknown"}`}
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
            <span class="score">{told ? `${boundSign(now)}${scoreInWords(now.score)}` : "…"}</span>
            <span class="muted ending">{told ? kindInWords(now) : ""}</span>
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
                <button type="button" onClick={() => walk(-1)} disabled={walked.value === null || walked.value === 0}>
                    Step back
                </button>
                <button type="button" class="primary" onClick={() => walk(1)}>
                    {walked.value === null ? "Step through" : "Step"}
                </button>
                <button type="button" onClick={() => (walked.value = null)} disabled={walked.value === null}>
                    Show all
                </button>
            </div>
            <p class="hint">
                {walked.value === null
                    ? `${tree.nodes.length} nodes${tree.truncated ? " (truncated)" : ""}. Press Space to step through the search.`
                    : `Step ${walked.value + 1} of ${tree.steps.length}`}
            </p>
            <div
                class="tree"
                role="tree"
                ref={list}
                tabIndex={0}
                aria-label="Search tree"
                aria-activedescendant={`node-${selected.value ?? 0}`}
                onKeyDown={(event) => pressed(event, tree)}
            >
                {visible(tree).map((node) => (
                    <Row key={node} tree={tree} node={node} level={levelOf(tree, node)} known={known} />
                ))}
            </div>
            {now && (
                <p class="hint" data-testid="node">
                    Remaining depth {now.depth}, window {windowOf(now, scoreInWords)}, {kindInWords(now)}.
                </p>
            )}
        </>
    )
}

/** Shows the position of the selected node on the board. Returns a function that stops it. */
function follow(): () => void {
    let wanted = 0
    const stop = effect(() => {
        const [now, node] = [tree.value, selected.value]
        wanted += 1
        const mine = wanted
        if (!now || node === null) {
            overlay.value = null
            return
        }
        const { game } = now
        const moves = movesTo(now, node)
        const last = moves[moves.length - 1]
        call<{ game: Game }>("/v1/validate", { game: { ...game, moves: [...game.moves, ...moves] } }).then(
            ({ game }) => {
                if (mine !== wanted) return
                const ends = last ? [last.slice(0, 2), last.slice(2, 4)] : []
                const marks = ends.map((square) => ({ square, kind: "last" as const }))
                overlay.value = { placement: game.fen.split(" ")[0] ?? "", marks, arrows: [] }
            },
            () => undefined,
        )
    })
    return () => {
        stop()
        wanted += 1
        overlay.value = null
    }
}

export function TreePanel() {
    useEffect(follow, [])
    const able = ais.value.filter((ai) => ai.capabilities.trace_nodes > 0).map((ai) => ai.id)
    const ai = chosen.value || (able[0] ?? aiIds.value[0] ?? "")
    const isAble = able.includes(ai)
    return (
        <>
            <div class="fields">
                <AiSelect label="AI" value={ai} change={(id) => (chosen.value = id)} />
                <LimitField of={[ai]} value={limit.value} change={(value) => (limit.value = value)} />
            </div>
            <AiOptions id={ai} />
            <div class="buttons">
                {asking.value ? (
                    <button type="button" class="primary" onClick={stop}>
                        Stop
                    </button>
                ) : (
                    <button type="button" class="primary" onClick={() => void ask(ai)} disabled={!isAble}>
                        Show search tree
                    </button>
                )}
                {asking.value && <span class="pulse" role="status" aria-label={`${aiName(ai)} is searching`} />}
            </div>
            {words.value && <p class="hint">{words.value}</p>}
            {ai && !isAble && (
                <p class="hint">
                    {aiName(ai)} does not support search trees.{able.length > 0 ? ` Supported by: ${able.map(aiName).join(", ")}.` : ""}
                </p>
            )}
            {!tree.value && !words.value && isAble && (
                <p class="hint">Shows the positions that an AI searched, in search order, with their scores.</p>
            )}
            {tree.value && <TreeView tree={tree.value} />}
        </>
    )
}
