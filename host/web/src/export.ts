// The game as a PGN, with names, result, comments, variations, evaluations and clocks.

import { aiName } from "./ais"
import type { Color, Score } from "./api"
import { clientId } from "./api"
import { claimCommand, claimSentence } from "./claims"
import { controlText, timeControl } from "./clocks"
import { result, startFen, standardStart, tags, tree } from "./game"
import { moveNumber } from "./move-number"
import { glyphNags, writePgn } from "./pgn"
import type { WrittenMove } from "./pgn"
import { levelFor, opponentName } from "./opponent-name"
import { players } from "./players"
import { reportOf } from "./report"
import { scoreOf } from "./scores"
import { shapeCommands } from "./shapes"
import { texts } from "./texts/board"
import { lineThrough, nodeOf, pathTo, rootId } from "./tree"
import type { Node } from "./tree"

export function playerName(color: Color): string {
    const player = players.value[color]
    if (player !== "you") return opponentName(color)
    return tags.value[color === "white" ? "White" : "Black"] ?? (clientId.value || texts.game.you)
}

/** Returns the result of the main line as a PGN tag. */
export function resultTag(): string {
    const line = lineThrough(tree.value, rootId)
    const end = nodeOf(tree.value, line[line.length - 1] ?? rootId)
    const known =
        end.result ?? (end.children.length === 0 && line.length === 1 ? result.value : null)
    if (!known) return "*"
    return known.winner === "white" ? "1-0" : known.winner === "black" ? "0-1" : "1/2-1/2"
}

/** Returns a player's name for a PGN. A level's name includes its AI. */
function tagName(color: Color): string {
    const [player, level] = [players.value[color], levelFor(color)]
    return player !== "you" && level ? `${level.name} (${aiName(player.ai)})` : playerName(color)
}

/** Returns Elo tags for players at levels with a known Elo. */
function elos(): Record<string, string> {
    const known = { WhiteElo: levelFor("white")?.elo, BlackElo: levelFor("black")?.elo }
    return Object.fromEntries(
        Object.entries(known).flatMap(([tag, elo]) => (elo == null ? [] : [[tag, String(elo)]])),
    )
}

function date(): string {
    const now = new Date()
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()]
        .map((part) => String(part).padStart(2, "0"))
        .join(".")
}

/** The event of a game played here, as other programs write it. */
export const casualGame = "Casual game"

export function gameTags(): Record<string, string> {
    const roster = {
        Event: casualGame,
        Site: "Rookery",
        Date: date(),
        Round: "-",
        White: tagName("white"),
        Black: tagName("black"),
        ...elos(),
    }
    const { SetUp, FEN, ...known } = tags.value
    const start = startFen.value === standardStart ? {} : { SetUp: "1", FEN: startFen.value }
    // Castling rights that name rook files mean Chess960.
    const variant = /[a-h]/i.test(startFen.value.split(" ")[2] ?? "") ? { Variant: "Chess960" } : {}
    const control = timeControl.value
    const clocks = control ? { TimeControl: controlText(control) } : {}
    return { ...roster, ...variant, ...known, ...clocks, Result: resultTag(), ...start }
}

function clockText(seconds: number): string {
    const [hours, minutes, rest] = [
        Math.floor(seconds / 3600),
        Math.floor(seconds / 60) % 60,
        Math.floor(seconds % 60),
    ]
    return `[%clk ${hours}:${String(minutes).padStart(2, "0")}:${String(rest).padStart(2, "0")}]`
}

const evaluationText = (score: Score) =>
    `[%eval ${"mate" in score ? `#${score.mate}` : (score.cp / 100).toFixed(2)}]`

/** Returns a move's glyphs. Adds the report's glyph unless one of them judges the move. */
function nagsOf({ id, nags = [] }: Node): readonly number[] {
    const nag = glyphNags[reportOf(id)?.glyph ?? ""]
    return nag === undefined || nags.some((known) => known <= 6) ? nags : [nag, ...nags]
}

const numbersOf = (ply: number) => ({
    number: moveNumber(ply, false, startFen.value),
    fullNumber: moveNumber(ply, true, startFen.value).replace("…", "..."),
})

function written(node: Node, ply: number, variations: WrittenMove[][]): WrittenMove {
    const score = scoreOf(node.id)
    const { commands: kept = "", comment = "" } = node
    const claims = reportOf(node.id)?.claims ?? []
    // A loaded PGN may contain these commands and sentences.
    const isNew = (text: string) => !kept.includes(text) && !comment.includes(text)
    const commands = [
        ...shapeCommands(node.shapes),
        kept,
        score ? evaluationText(score) : "",
        node.clockSeconds === undefined ? "" : clockText(node.clockSeconds),
    ]
    const [claimed, said] = [claims.map(claimCommand), claims.map(claimSentence)]
    return {
        ...numbersOf(ply),
        san: node.san,
        nags: nagsOf(node),
        commentBefore: node.commentBefore ?? "",
        comment: [...commands, ...[...claimed, ...said].filter(isNew), comment]
            .filter(Boolean)
            .join(" "),
        variations,
    }
}

/** Returns the report's better line for a bad move, unless the game contains that line. */
function betterLine(node: Node, ply: number, siblings: readonly Node[]): WrittenMove[][] {
    const { judgement, best } = reportOf(node.id) ?? {}
    if (!judgement || !best || siblings.some(({ uci }) => uci === best.move.uci)) return []
    const moves = best.san.map((san, index) => ({
        ...numbersOf(ply + index),
        san,
        nags: [],
        commentBefore: "",
        comment: "",
        variations: [],
    }))
    return [moves]
}

/** Returns the line after a node, with the variations of its moves. */
function lineAfter(node: Node, ply: number): WrittenMove[] {
    const moves: WrittenMove[] = []
    for (let [at, count] = [node, ply]; at.children.length > 0; count += 1) {
        const [first, ...others] = at.children.map((id) => nodeOf(tree.value, id))
        if (!first) break
        const variations = others.map((other) => [
            written(other, count, []),
            ...lineAfter(other, count + 1),
        ])
        const better = betterLine(first, count, [first, ...others])
        moves.push(written(first, count, [...variations, ...better]))
        at = first
    }
    return moves
}

/** Returns a move and its continuation as a PGN that starts at the position before the move. */
export function pgnFrom(id: number, fen: string): string {
    const node = nodeOf(tree.value, id)
    const ply = pathTo(tree.value, id).length - 2
    const moves = [written(node, ply, []), ...lineAfter(node, ply + 1)]
    return writePgn({ SetUp: "1", FEN: fen }, "", moves, "*")
}

/** Returns the complete game as a PGN, wherever the cursor is. */
export function gamePgn(): string {
    const root = nodeOf(tree.value, rootId)
    return writePgn(
        gameTags(),
        [...shapeCommands(root.shapes), root.commands ?? "", root.comment ?? ""]
            .filter(Boolean)
            .join(" "),
        lineAfter(root, 0),
        resultTag(),
    )
}
