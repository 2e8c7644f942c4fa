// The moments of a review: small boards, claims and better lines.

import { useEffect, useRef } from "preact/hooks"
import { addToGame } from "../analysis"
import type { Claim, MoveReport } from "../api"
import { claimText } from "../claims"
import { currentId, gameTo, goToNode, nodeAfter, tree } from "../game"
import type { Moves } from "../game"
import { moveNumber, PvLine } from "../preview"
import { lastOfTheory, moments, progress, reported } from "../report"
import type { ReportedNode } from "../report"
import { SmallBoard } from "../small-board"
import { nodeOf, rootId } from "../tree"
import { orientation } from "../view"
import { fixed, sanText } from "../format"
import { texts } from "../texts/board"
import { common } from "../texts/common"

/** Returns a move with its number: `3… Nf6`. */
const nameOf = ({ ply, move }: MoveReport) => `${moveNumber(ply - 1, true)} ${sanText(move.san)}`

/** Returns the game before a reported move. */
const gameBefore = ({ node }: ReportedNode) => gameTo(nodeOf(tree.value, node).parent ?? rootId)

function Moment({ entry }: { entry: ReportedNode }) {
    return (
        <button
            type="button"
            class="moment"
            aria-current={entry.node === currentId.value ? "true" : undefined}
            onClick={() => goToNode(entry.node)}
        >
            <SmallBoard
                placement={nodeOf(tree.value, entry.node).placement}
                orientation={orientation.value}
                move={entry.move.uci}
                label=""
            />
            <span>
                {nameOf(entry)}
                <b class={entry.judgement ?? "blunder"}>{entry.glyph ?? "#"}</b>
            </span>
        </button>
    )
}

/** Scrolls a list, but not the page, to its current element. */
function showCurrent(list: HTMLElement | null): void {
    const current = list?.querySelector<HTMLElement>("[aria-current]")
    if (!list || !current) return
    const [{ left, right }, at] = [list.getBoundingClientRect(), current.getBoundingClientRect()]
    if (at.left < left) list.scrollLeft += at.left - left
    else if (at.right > right) list.scrollLeft += at.right - right
}

/** The moments in the order of the game. The strip has its full height from the start. */
export function MomentStrip() {
    const list = useRef<HTMLOListElement>(null)
    const at = currentId.value
    useEffect(() => showCurrent(list.current), [at])
    const words = progress.value ? texts.report.looking : texts.report.none
    if (moments.value.length === 0) return <p class="moments hint">{words}</p>
    return (
        <ol class="moments" ref={list} aria-label={texts.report.strip}>
            {moments.value.map((entry) => (
                <li key={entry.ply}>
                    <Moment entry={entry} />
                </li>
            ))}
        </ol>
    )
}

/** A claim about a move, with the line that proves it. */
function ClaimText({ entry, claim }: { entry: ReportedNode; claim: Claim }) {
    const shown = Math.max(1, claim.after)
    const [pv, san] = [claim.line.slice(0, shown), claim.san.slice(0, shown)]
    return (
        <span class="claim">
            {claimText(claim)}
            {pv.length > 0 && ": "}
            <PvLine
                game={claim.start === "after" ? gameTo(entry.node) : gameBefore(entry)}
                pv={pv}
                san={san}
            />
        </span>
    )
}

/** A better line, which can be added to the game as a variation. */
function BetterLine({ before, best }: { before: Moves; best: NonNullable<MoveReport["best"]> }) {
    const isKnown = nodeAfter({ ...before, moves: [...before.moves, ...best.pv] }) !== null
    return (
        <span class="best-move">
            {texts.report.best} <PvLine game={before} pv={best.pv} san={best.san} />{" "}
            <button
                type="button"
                class="link insert"
                disabled={isKnown}
                onClick={() => void addToGame(before, best.pv)}
            >
                {isKnown ? texts.report.inserted : texts.report.insert}
            </button>
        </span>
    )
}

/**
 * Shown if a move allows mate in one but the host claims nothing, because the game was lost anyway.
 */
const mateAtOnce: Claim = {
    kind: "allows_mate",
    text: "",
    moves: 1,
    start: "after",
    line: [],
    san: [],
    after: 0,
}

function claimsOfMoment({ judgement, claims }: MoveReport): readonly Claim[] {
    const isSaid = judgement !== null || claims.some(({ kind }) => kind === mateAtOnce.kind)
    return isSaid ? claims : [mateAtOnce, ...claims]
}

interface ReportedMoveProps {
    entry: ReportedNode
    claims: readonly Claim[]
}

function ReportedMove({ entry, claims }: ReportedMoveProps) {
    const { node, best, judgement, loss, opening } = entry
    return (
        <li class={node === currentId.value ? "current" : ""}>
            <button type="button" class="link" onClick={() => goToNode(node)}>
                {nameOf(entry)}
                <b class={judgement ?? ""}>{entry.glyph}</b>
            </button>
            {judgement && <span class="muted">−{common.percent(fixed(loss ?? 0, 1))}</span>}
            {opening && <span class="muted">{texts.report.theory(opening.name)}</span>}
            {claims.map((claim) => (
                <ClaimText key={claim.kind + claim.text} entry={entry} claim={claim} />
            ))}
            {best && best.move.uci !== entry.move.uci && (
                <BetterLine before={gameBefore(entry)} best={best} />
            )}
        </li>
    )
}

/** The claims about the current move, if it is not a moment. */
function ThisMove() {
    const current = reported.value.find(({ node }) => node === currentId.value)
    if (!current || current.claims.length === 0 || moments.value.includes(current)) return null
    return (
        <section aria-label={texts.report.thisMove}>
            <h2 class="label">{texts.report.thisMove}</h2>
            <ol class="bad-moves">
                <ReportedMove entry={current} claims={current.claims} />
            </ol>
        </section>
    )
}

/** The claims about the moves, once all are known. */
export function ReviewedMoves() {
    if (reported.value.length === 0 || progress.value) return null
    const known = lastOfTheory.value
    return (
        <section class="panel reviewed-moves" aria-label={texts.report.reasons}>
            {known?.opening && (
                <p class="muted" data-testid="theory">
                    {texts.report.theoryTo(nameOf(known), known.opening.name)}
                </p>
            )}
            {moments.value.length > 0 && (
                <section aria-label={texts.report.moments}>
                    <h2 class="label">{texts.report.moments}</h2>
                    <ol class="bad-moves">
                        {moments.value.map((entry) => (
                            <ReportedMove
                                key={entry.ply}
                                entry={entry}
                                claims={claimsOfMoment(entry)}
                            />
                        ))}
                    </ol>
                </section>
            )}
            <ThisMove />
            <details class="explained">
                <summary>{texts.report.classified}</summary>
                <p>{texts.report.explained}</p>
            </details>
        </section>
    )
}
