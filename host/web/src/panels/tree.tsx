// An AI's search tree. The board shows the selected node's position.

import { effect } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { aiIds, aiName, ais } from "../ais"
import { call } from "../api"
import type { Game } from "../api"
import { AiSelect, LimitField } from "../fields"
import { AiOptions } from "../option-fields"
import {
    activeRequest,
    bestLine,
    chosen,
    currentStep,
    expanded,
    isPlaying,
    knownNodes,
    limit,
    message,
    requestTree,
    selected,
    showAll,
    shownChildren,
    stepBy,
    stop,
    toggle,
    tree,
    visible,
} from "../search-tree"
import { boundSign, cutoffSentence, formatWindow, movesTo, nodeKindLabel, pathTo } from "../trace"
import type { Tree } from "../trace"
import { panelOverlay } from "../view"
import { CopyCurl } from "../curl"
import { formatScore, sanText } from "../format"
import { texts } from "../texts/board"

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
        ArrowRight: () =>
            expanded.value.has(node) ? select(shownChildren(tree, node)[0]) : toggle(node, true),
        ArrowLeft: () =>
            expanded.value.has(node) ? toggle(node, false) : select(tree.nodes[node]?.parent),
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

function Row({
    tree,
    node,
    level,
    known,
}: {
    tree: Tree
    node: number
    level: number
    known: ReadonlySet<number> | null
}) {
    const now = tree.nodes[node]
    if (!now) return null
    const children = tree.children[node] ?? []
    const open = expanded.value.has(node)
    const isSelected = selected.value === node
    const hasScore = known === null || known.has(node)
    const isBest = hasScore && bestLine.value.has(node)
    return (
        <div
            role="treeitem"
            id={`node-${node}`}
            aria-level={level}
            aria-selected={isSelected}
            {...(children.length > 0 ? { "aria-expanded": open } : {})}
            class={`node${isSelected ? " selected" : ""}${hasScore ? "" : " unknown"}${isBest ? " best" : ""}`}
            style={{ paddingInlineStart: `${Math.min(level, 12) * 14}px` }}
            onClick={() => {
                selected.value = node
                if (children.length > 0) toggle(node, !open)
            }}
        >
            <span class="twist" aria-hidden="true">
                {children.length > 0 ? (open ? "▾" : "▸") : "·"}
            </span>
            <span class="move">
                {now.move ? sanText(now.move.san) : texts.searchTree.root}
                {isBest && now.move && <span aria-label={` ${texts.searchTree.bestLine}`}> ★</span>}
            </span>
            <span class="score">
                {hasScore ? `${boundSign(now)}${formatScore(now.score)}` : "…"}
            </span>
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
                const row =
                    selected.value === null
                        ? null
                        : list.current?.querySelector(`#node-${selected.value}`)
                row?.scrollIntoView({ block: "nearest" })
            }),
        [],
    )
    return (
        <>
            <div class="buttons" role="group" aria-label={texts.searchTree.stepThrough}>
                <button
                    type="button"
                    onClick={() => stepBy(-1)}
                    disabled={currentStep.value === null || currentStep.value === 0}
                >
                    {texts.searchTree.back}
                </button>
                <button type="button" class="primary" onClick={() => stepBy(1)}>
                    {currentStep.value === null ? texts.searchTree.begin : texts.searchTree.step}
                </button>
                <button
                    type="button"
                    aria-pressed={isPlaying.value}
                    onClick={() => (isPlaying.value = !isPlaying.value)}
                >
                    {isPlaying.value ? texts.searchTree.stopAutoplay : texts.searchTree.autoplay}
                </button>
                <button type="button" onClick={showAll} disabled={currentStep.value === null}>
                    {texts.searchTree.showAll}
                </button>
            </div>
            <p class="hint">
                {currentStep.value === null
                    ? texts.searchTree.positions(tree.nodes.length, tree.truncated)
                    : texts.searchTree.stepOf(currentStep.value + 1, tree.steps.length)}
            </p>
            <div
                class="tree"
                role="tree"
                ref={list}
                tabIndex={0}
                aria-label={texts.searchTree.tree}
                aria-activedescendant={`node-${selected.value ?? 0}`}
                onKeyDown={(event) => onKeyDown(event, tree)}
            >
                {visible(tree).map((node) => (
                    <Row
                        key={node}
                        tree={tree}
                        node={node}
                        level={levelOf(tree, node)}
                        known={known}
                    />
                ))}
            </div>
            {now && (
                <p class="hint" data-testid="node">
                    {cutoffSentence(tree, selected.value ?? 0)}{" "}
                    {texts.searchTree.node(
                        now.depth,
                        formatWindow(now, formatScore),
                        nodeKindLabel(now),
                    )}
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
            panelOverlay.value = null
            return
        }
        const { game } = now
        const moves = movesTo(now, node)
        const last = moves[moves.length - 1]
        call<{ game: Game }>("/v1/validate", {
            game: { ...game, moves: [...game.moves, ...moves] },
        }).then(
            ({ game }) => {
                if (request !== latestRequest) return
                const ends = last ? [last.slice(0, 2), last.slice(2, 4)] : []
                const marks = ends.map((square) => ({ square, kind: "last" as const }))
                const leave = () => (selected.value = null)
                panelOverlay.value = {
                    placement: game.fen.split(" ")[0] ?? "",
                    marks,
                    arrows: [],
                    leave,
                }
            },
            () => undefined,
        )
    })
    return () => {
        stop()
        latestRequest += 1
        panelOverlay.value = null
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
                <AiSelect label={texts.ais.ai} value={ai} change={(id) => (chosen.value = id)} />
                <LimitField
                    of={[ai]}
                    value={limit.value}
                    change={(value) => (limit.value = value)}
                />
            </div>
            <AiOptions id={ai} />
            <div class="buttons">
                {activeRequest.value ? (
                    <button type="button" class="primary" onClick={stop}>
                        {texts.ais.stop}
                    </button>
                ) : (
                    <button
                        type="button"
                        class={tree.value ? "" : "primary"}
                        onClick={() => void requestTree(ai)}
                        disabled={!isSupported}
                    >
                        {texts.searchTree.show}
                    </button>
                )}
                {activeRequest.value && (
                    <span
                        class="pulse"
                        role="status"
                        aria-label={texts.searchTree.isSearching(aiName(ai))}
                    />
                )}
            </div>
            {message.value && <p class="hint">{message.value}</p>}
            {ai && !isSupported && (
                <p class="hint">
                    {texts.searchTree.notSupported(aiName(ai))}
                    {capable.length > 0
                        ? ` ${texts.searchTree.supportedBy(capable.map(aiName).join(", "))}`
                        : ""}
                </p>
            )}
            {!tree.value && !message.value && isSupported && (
                <p class="hint">{texts.searchTree.about}</p>
            )}
            {tree.value && <TreeView tree={tree.value} />}
            <CopyCurl answer={tree.value?.reply ?? null} />
        </>
    )
}
