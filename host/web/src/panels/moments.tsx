// The moments of a review: as small boards, and with what is claimed of them and better lines.

import { useEffect, useRef } from "preact/hooks"
import { addToGame } from "../analysis"
import type { Claim, MoveReport } from "../api"
import { claimText } from "../claims"
import { cursor, gameForm, goTo, nodeAfter, placementAfter } from "../game"
import { moveNumber, PvLine } from "../preview"
import { lastOfTheory, moments, moveReports, progress } from "../report"
import { SmallBoard } from "../small-board"
import { orientation } from "../view"
import { fixed, sanText } from "../format"
import { texts } from "../texts/board"

/** Returns a move with its number: `3… Nf6`. */
const nameOf = ({ ply, move }: MoveReport) => `${moveNumber(ply - 1, true)} ${sanText(move.san)}`

function Moment({ entry }: { entry: MoveReport }) {
    return (
        <button
            type="button"
            class="moment"
            aria-current={entry.ply === cursor.value ? "true" : undefined}
            onClick={() => goTo(entry.ply)}
        >
            <SmallBoard
                placement={placementAfter(entry.ply)}
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

/** Scrolls a list, not the page, to the current one of its elements. */
function showCurrent(list: HTMLElement | null): void {
    const current = list?.querySelector<HTMLElement>("[aria-current]")
    if (!list || !current) return
    const [{ left, right }, at] = [list.getBoundingClientRect(), current.getBoundingClientRect()]
    if (at.left < left) list.scrollLeft += at.left - left
    else if (at.right > right) list.scrollLeft += at.right - right
}

/** The moments in the order of the game. The strip has its height before the first one. */
export function MomentStrip() {
    const list = useRef<HTMLOListElement>(null)
    const at = cursor.value
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

/** What is claimed of a move, with the line that proves it. */
function ClaimText({ ply, claim }: { ply: number; claim: Claim }) {
    const shown = Math.max(1, claim.after)
    const [pv, san] = [claim.line.slice(0, shown), claim.san.slice(0, shown)]
    return (
        <span class="claim">
            {claimText(claim)}
            {pv.length > 0 && ": "}
            <PvLine game={gameForm(claim.start === "after" ? ply : ply - 1)} pv={pv} san={san} />
        </span>
    )
}

/** The line of a better move, which the game takes as a variation. */
function BetterLine({ ply, best }: { ply: number; best: NonNullable<MoveReport["best"]> }) {
    const before = gameForm(ply - 1)
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

/** What the host does not claim of a move that loses nothing more. */
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
    entry: MoveReport
    claims: readonly Claim[]
}

function ReportedMove({ entry, claims }: ReportedMoveProps) {
    const { ply, best, judgement, loss, opening } = entry
    return (
        <li class={ply === cursor.value ? "current" : ""}>
            <button type="button" class="link" onClick={() => goTo(ply)}>
                {nameOf(entry)}
                <b class={judgement ?? ""}>{entry.glyph}</b>
            </button>
            {judgement && <span class="muted">−{fixed(loss ?? 0, 1)} %</span>}
            {opening && <span class="muted">{texts.report.theory(opening.name)}</span>}
            {claims.map((claim) => (
                <ClaimText key={claim.kind + claim.text} ply={ply} claim={claim} />
            ))}
            {best && best.move.uci !== entry.move.uci && <BetterLine ply={ply} best={best} />}
        </li>
    )
}

/** What is claimed of the current move, if it is no moment. */
function ThisMove() {
    const current = moveReports.value.get(cursor.value)
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

/** What is said of the moves, once all claims are known. */
export function ReviewedMoves() {
    if (moveReports.value.size === 0 || progress.value) return null
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
