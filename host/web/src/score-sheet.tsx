// The score sheet, which is printed instead of the page: players, moves with variations and
// comments, and the position on the board.

import { render } from "preact"
import { isolated } from "./bidi"
import { casualGame, gameTags } from "./export"
import {
    currentId,
    currentNode,
    opening,
    placement,
    positionInfo,
    result,
    standardStart,
    startFen,
    status,
    tree,
    turnAfter,
} from "./game"
import { moveNumber } from "./move-number"
import { moveLabel } from "./move-label"
import { reportOf } from "./report"
import { SmallBoard } from "./small-board"
import { switches } from "./switches"
import { nodeOf, rootId } from "./tree"
import type { Node } from "./tree"
import { orientation } from "./view"
import { colorName, resultText, sanText } from "./format"
import { nagText } from "./glyphs"
import { texts } from "./texts/board"

/** A move by each side, or text between moves. */
type Row = { number: string; white: string; black: string } | { note: string }

const moveText = ({ id, san, nags = [] }: Node) =>
    sanText(san) + (nags.map(nagText).join("") || (reportOf(id)?.glyph ?? ""))

const childrenOf = ({ children }: Node) => children.map((id) => nodeOf(tree.value, id))

/** Returns a variation from its first move, with nested variations, as one text. */
function variationText(first: Node, ply: number): string {
    const words = [first.commentBefore]
    let needsNumber = true
    let [at, others, count]: [Node | undefined, Node[], number] = [first, [], ply]
    while (at) {
        words.push(moveNumber(count, needsNumber, startFen.value), moveText(at), at.comment)
        for (const other of others) words.push(variationText(other, count))
        needsNumber = Boolean(at.comment) || others.length > 0
        ;[at, ...others] = childrenOf(at)
        count += 1
    }
    return `(${words.filter(Boolean).join(" ")})`
}

function rowsOf(root: Node): Row[] {
    const rows: Row[] = root.comment ? [{ note: root.comment }] : []
    for (let [at, ply] = [root, 0]; at.children.length > 0; ply += 1) {
        const [node, ...others] = childrenOf(at)
        if (!node) break
        const last = rows.at(-1)
        const number = moveNumber(ply, true, startFen.value)
        if (turnAfter(ply) === "white") rows.push({ number, white: moveText(node), black: "" })
        else if (last && "white" in last) last.black = moveText(node)
        else rows.push({ number, white: "", black: moveText(node) })
        const notes = [node.comment, ...others.map((other) => variationText(other, ply))]
        rows.push(...notes.flatMap((note) => (note ? [{ note }] : [])))
        at = node
    }
    return rows
}

const isKnown = (value: string | undefined) => value !== undefined && !/^[?.-]*$/.test(value)

function Head() {
    const tags = gameTags()
    const named = (name = "?", elo: string | undefined) =>
        elo && isKnown(elo) ? `${isolated(name)} (${isolated(elo)})` : isolated(name)
    const { Event, Site, Date, Round, TimeControl } = tags
    const round = Round && isKnown(Round) ? texts.game.round(Round) : undefined
    const about = [Event === casualGame ? undefined : Event, round, Site, Date, TimeControl]
        .flatMap((part) => (part && isKnown(part) ? isolated(part) : []))
        .join(" · ")
    const isOfOnePerson = switches.place.value === "analyse" && tags.White === tags.Black
    const score = tags.Result?.replaceAll("1/2", "½").replace("-", "–")
    const end = lastResult()
    return (
        <header>
            <h1>
                {isOfOnePerson
                    ? texts.page.analysis
                    : `${named(tags.White, tags.WhiteElo)} – ${named(tags.Black, tags.BlackElo)}`}
            </h1>
            <p>{about}</p>
            {opening.value && (
                <p>
                    {opening.value.eco} {opening.value.name}
                </p>
            )}
            {score !== "*" && (
                <p>
                    <b>{score}</b> {end}
                </p>
            )}
        </header>
    )
}

/** Returns the result of the main line. */
function lastResult(): string | undefined {
    let end = nodeOf(tree.value, rootId)
    for (let [next] = childrenOf(end); next; [next] = childrenOf(next)) end = next
    return end.result && resultText(end.result)
}

function Diagram() {
    const isStart = currentId.value === rootId
    const turn = status.value?.turn
    return (
        <figure>
            <SmallBoard
                placement={placement.value}
                orientation={orientation.value}
                move={currentNode.value.uci}
                label={texts.game.board}
            />
            <figcaption>
                {isStart ? texts.page.start : texts.page.positionAfter(moveLabel(currentId.value))}
                {turn && !result.value && ` · ${texts.page.toMove(colorName(turn), false)}`}
                {startFen.value !== standardStart && (
                    <span class="fen">{positionInfo.value?.game.fen}</span>
                )}
            </figcaption>
        </figure>
    )
}

function ScoreSheet() {
    return (
        <>
            <Head />
            <div class="sheet-moves">
                <Diagram />
                {rowsOf(nodeOf(tree.value, rootId)).map((row, index) =>
                    "note" in row ? (
                        <p key={index}>{row.note}</p>
                    ) : (
                        <div key={index} class="sheet-row">
                            <span class="number">{row.number}</span>
                            <b>{row.white}</b>
                            <b>{row.black}</b>
                        </div>
                    ),
                )}
            </div>
        </>
    )
}

/** Renders the score sheet whenever the page is about to be printed. */
export function listenToPrinting(): void {
    const sheet = document.createElement("div")
    sheet.className = "score-sheet"
    document.body.append(sheet)
    const draw = () => render(<ScoreSheet />, sheet)
    addEventListener("beforeprint", draw)
    addEventListener("afterprint", () => render(null, sheet))
    matchMedia("print").addEventListener("change", ({ matches }) => matches && draw())
}
