// The opening, the move list with its variations, and the field for typing a move.

import { signal } from "@preact/signals"
import { Fragment } from "preact"
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { undirected } from "./bidi"
import {
    currentId,
    gameNumber,
    goToNode,
    legal,
    opening,
    plies,
    startFen,
    tree,
    turnAfter,
} from "./game"
import { listenForMenu } from "./move-menu"
import { areMovesOpen } from "./moves-sheet"
import { openTool, setUpPosition } from "./places"
import { submitMove, userMayMove } from "./play"
import { explainTyped, notice } from "./reasons"
import { moveReports, reportOf } from "./report"
import { moveNumber } from "./preview"
import { nodeOf, rootId } from "./tree"
import type { Node } from "./tree"
import { typedMove } from "./typed"
import { promotion } from "./view"
import { sanText } from "./format"
import { Sign } from "./glyphs"
import { texts } from "./texts/board"

export function MoveList() {
    const list = useRef<HTMLOListElement>(null)
    const here = currentId.value
    useLayoutEffect(() => {
        const box = list.current
        if (!box) return
        const row = box.querySelector<HTMLElement>(`[data-node="${here}"]`)
        if (!row) box.scrollTop = 0
        else if (
            row.offsetTop < box.scrollTop ||
            row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight
        ) {
            box.scrollTop = row.offsetTop - (box.clientHeight - row.offsetHeight) / 2
        }
    }, [here, tree.value, moveReports.value, areMovesOpen.value])
    const root = nodeOf(tree.value, rootId)
    const isEmpty = root.children.length === 0
    useEffect(() => (list.current ? listenForMenu(list.current) : undefined), [isEmpty])
    if (isEmpty) {
        return (
            <div class="moves empty">
                <p>{texts.game.noMoves}</p>
                <button type="button" onClick={() => openTool("position")}>
                    {texts.game.openOrPaste}
                </button>
                <button type="button" onClick={setUpPosition}>
                    {texts.game.setUp}
                </button>
            </div>
        )
    }
    return (
        <ol class="moves" ref={list} aria-label={texts.game.moves} tabIndex={0} data-testid="moves">
            {root.comment && <Comment text={root.comment} />}
            <Continuation after={root} ply={0} isFirst />
        </ol>
    )
}

/**
 * The line is reserved even if no opening is known, so that a new name does not shift the layout.
 */
export function OpeningName() {
    if (!opening.value) return <p class="about-position" />
    const { eco, name } = opening.value
    return (
        <p class="about-position" title={name} data-testid="opening">
            <abbr title={texts.game.ecoCode}>{eco}</abbr> {name}
        </p>
    )
}

const Comment = ({ text }: { text: string }) => (
    <li class="comment" dir="auto">
        {undirected(text)}
    </li>
)

interface ContinuationProps {
    after: Node
    /** The number of plies before the first move. */
    ply: number
    /** Whether the first move needs its number. */
    isFirst: boolean
}

/** The line after a node: its moves, each followed by its variations. */
function Continuation({ after, ply, isFirst }: ContinuationProps) {
    const items: ComponentChildren[] = []
    let [node, count, needsNumber] = [after, ply, isFirst]
    for (
        let [first, ...others] = node.children;
        first !== undefined;
        [first, ...others] = node.children
    ) {
        const next = nodeOf(tree.value, first)
        items.push(<MoveItem key={next.id} node={next} ply={count} needsNumber={needsNumber} />)
        needsNumber = others.length > 0 || Boolean(next.comment)
        if (next.comment) items.push(<Comment key={`comment${next.id}`} text={next.comment} />)
        for (const other of others)
            items.push(
                <Variation
                    key={`variation${other}`}
                    node={nodeOf(tree.value, other)}
                    ply={count}
                />,
            )
        ;[node, count] = [next, count + 1]
    }
    return <>{items}</>
}

function Variation({ node, ply }: { node: Node; ply: number }) {
    return (
        <li class="variation" data-testid="variation">
            <ol aria-label={texts.game.variation(`${moveNumber(ply, true)} ${sanText(node.san)}`)}>
                {node.commentBefore && <Comment text={node.commentBefore} />}
                <MoveItem node={node} ply={ply} needsNumber />
                {node.comment && <Comment text={node.comment} />}
                <Continuation after={node} ply={ply + 1} isFirst={Boolean(node.comment)} />
            </ol>
        </li>
    )
}

function MoveItem({ node, ply, needsNumber }: { node: Node; ply: number; needsNumber: boolean }) {
    const entry = reportOf(node.id)
    const number = moveNumber(ply, needsNumber, startFen.value)
    const nags = node.nags ?? []
    // A glyph in the game takes precedence over the report's.
    const own = nags.some((nag) => nag <= 7) ? "" : (entry?.glyph ?? "")
    return (
        <li class={turnAfter(ply)}>
            {number && <span class="number">{number}</span>}
            <button
                type="button"
                data-ply={ply + 1}
                data-node={node.id}
                {...(currentId.value === node.id ? { "aria-current": "step" as const } : {})}
                onClick={() => goToNode(node.id)}
            >
                {sanText(node.san)}
                {(own || nags.length > 0) && (
                    <b class={entry?.judgement ?? ""}>
                        {own}
                        {nags.map((nag) => (
                            <Fragment key={nag}>
                                {nag > 6 && " "}
                                <Sign nag={nag} />
                            </Fragment>
                        ))}
                    </b>
                )}
            </button>
        </li>
    )
}

const typed = signal("")
/** A new game clears the text typed in the previous one. */
gameNumber.subscribe(() => (typed.value = ""))

const fieldId = "your-move"

/** Opens the field for typing a move. */
export const typeMove = () => document.getElementById(fieldId)?.focus()

/** The field for typing a move, visible only while it has the focus. */
export function MoveField() {
    useEffect(() => {
        const forget = () => (notice.value = null)
        addEventListener("pointerdown", forget)
        return () => removeEventListener("pointerdown", forget)
    }, [])
    const send = (event: SubmitEvent) => {
        event.preventDefault()
        const text = typed.value.trim()
        if (!text) return
        const found = typedMove(text, legal.value)
        if (found.kind === "ambiguous") {
            notice.value = texts.game.ambiguous(
                text,
                found.moves.map((move) => sanText(move.san)),
            )
        } else if (found.kind === "illegal") {
            void explainTyped(text)
        } else {
            typed.value = ""
            notice.value = null
            if (found.kind === "promotion") promotion.value = found.moves
            else void submitMove(found.move)
        }
    }
    return (
        <div class="move-field-place">
            <form class="move-field" onSubmit={send}>
                <label class="visually-hidden" for={fieldId}>
                    {texts.game.moveField}
                </label>
                <input
                    id={fieldId}
                    value={typed.value}
                    placeholder={plies.value.length === 0 ? "e4" : texts.game.moveExample}
                    title={texts.game.typeMove}
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck={false}
                    onInput={(event) => {
                        typed.value = event.currentTarget.value
                        notice.value = null
                    }}
                />
                <button type="submit" disabled={!userMayMove.value || !typed.value.trim()}>
                    {texts.game.move}
                </button>
            </form>
            <span class="input-error" role="status" data-testid="notice">
                {notice.value}
            </span>
        </div>
    )
}
