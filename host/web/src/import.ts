// Loads games: the host validates every line. Comments, glyphs and variations in a PGN are kept.

import { call, Problem } from "./api"
import type { Game, GameForm, Issue } from "./api"
import { reasonText, resultOf, textOf, winners } from "./format"
import { setGame, startGame } from "./game"
import { moveNumber } from "./move-number"
import { trackPending } from "./pending"
import { parsePgn, tagsOf } from "./pgn"
import type { PgnMove } from "./pgn"
import { enterPlace } from "./places"
import { setUserForBoth } from "./play"
import { playedMoves } from "./played-moves"
import { shapesIn } from "./shapes"
import { setScores } from "./scores"
import { spellingsOf } from "./spellings"
import { replaceGame } from "./steps"
import { switches } from "./switches"
import * as trees from "./tree"
import type { Annotation, PlayedMove, Tree } from "./tree"
import { restoreAt } from "./work"
import type { SavedAs } from "./work"
import type { Score } from "./api"
import { texts } from "./texts/board"

/** The result of loading a game. */
export interface Loaded {
    /** The issues of a rejected game. */
    issues: Issue[]
    /** Parts that were dropped from a loaded game. */
    losses: string[]
    /** The detected format, if none was given. */
    format: string | null
}

/** The maximum number of variations in one game. Each requires a request. */
const maxVariations = 300
const parallelRequests = 4

/** Loads a game in any format that the host reads. A stored game keeps its place in the storage. */
export const loadGame = (form: GameForm, place: SavedAs | null = null): Promise<Loaded> =>
    trackPending(async () => {
        const [first = form, ...others] = formsOf(form)
        const loaded = await validateAndLoad(first, place)
        for (const other of loaded.issues.length > 0 ? others : []) {
            const again = await validateAndLoad(other, place)
            if (again.issues.length === 0) return again
        }
        return loaded
    })

/** Returns a game in each possible spelling of its text. */
function formsOf(form: GameForm): GameForm[] {
    if ("pgn" in form) return spellingsOf(form.pgn).map((pgn) => ({ pgn }))
    return "any" in form ? spellingsOf(form.any).map((any) => ({ ...form, any })) : [form]
}

async function validateAndLoad(form: GameForm, place: SavedAs | null): Promise<Loaded> {
    try {
        const { game } = await call<{ game: Game }>("/v1/validate", { game: form })
        const main = await playedMoves({ fen: game.start_fen, moves: game.moves })
        const pgn =
            "pgn" in form
                ? form.pgn
                : "any" in form && ["pgn", "san"].includes(game.format ?? "")
                  ? form.any
                  : null
        const parsed = pgn === null ? null : parsePgn(await canonicalPgn(form, pgn))
        const importer = new Importer(game.start_fen, main)
        if (game.drawn_at) {
            const { ply, reason } = game.drawn_at
            const number =
                ply === 0 ? null : moveNumber(ply - 1, true, game.start_fen).replace(/[.…]$/, "")
            importer.losses.push(texts.positions.drawnAt(number, reasonText(reason)))
        }
        importer.losses.push(
            ...(game.notes ?? [])
                .map((note) => textOf(texts.positions.notes, note) ?? "")
                .filter(Boolean),
        )
        // If the page and the host read a PGN differently, the comments are lost rather than the
        // moves.
        const isRead = parsed !== null && parsed.moves.length === main.length
        if (isRead) await importer.annotate(parsed.moves, parsed.comment)
        else if (parsed?.moves.length) importer.losses.push(texts.positions.commentsLost)
        const end = importer.mainLine[importer.mainLine.length - 1] ?? trees.rootId
        const written = resultOfText(parsed?.result ?? "*")
        // If a game continued after a draw, its written result counts.
        const result = (game.drawn_at && written) || resultOf(game.status) || written
        if (result) importer.tree = trees.annotated(importer.tree, end, { result })
        const state = {
            start: game.start_fen,
            nodes: [...importer.tree.values()],
            line: importer.mainLine,
            cursor: main.length,
            tags: parsed && pgn !== null ? ownTags(parsed.tags, tagsOf(pgn)) : {},
            undone: [],
        }
        if ("any" in form && pgn === null && main.length === 0 && isPlayable(game)) {
            replaceGame(texts.page.gameLoaded, () => startGame(game.start_fen))
            // Makes room for the New game card.
            switches.tool.value = null
            return { issues: [], losses: importer.losses, format: game.format ?? null }
        }
        if (!place) enterAnalysis()
        const load = () => {
            setGame(state)
            setScores({ judge: null, latest: importer.scores, byAi: [["", importer.scores]] })
            // AIs do not move in a loaded game.
            setUserForBoth()
        }
        replaceGame(texts.page.gameLoaded, place ? () => restoreAt(place, load) : load)
        return { issues: [], losses: importer.losses, format: game.format ?? null }
    } catch (error) {
        if (!(error instanceof Problem)) throw error
        const { code, detail, status } = error.body
        // The host's message names formats in API terms.
        const message = "any" in form && status === 400 ? texts.positions.notChess : detail
        const issues = error.body.issues ?? [{ code, message, pointer: "" }]
        return { issues: issues.map(withMoveNumber), losses: [], format: null }
    }
}

/** Whether a loaded position starts a game. It does not in Analyse, or if AIs refuse to play it. */
const isPlayable = ({ notes = [] }: Game) =>
    switches.place.peek() !== "analyse" && !notes.some((note) => unplayable.has(note))
const unplayable = new Set(["impossible_check", "double_fischer_random"])

/** Opens Analyse. An open tool stays open. */
function enterAnalysis(): void {
    if (switches.place.peek() === "analyse") return
    const tool = switches.tool.peek()
    enterPlace("analyse")
    switches.tool.value = tool
}

/**
 * Returns a PGN as the host writes it, or the text itself if the host rejects it, for example
 * because of a variation.
 */
async function canonicalPgn(form: GameForm, text: string): Promise<string> {
    try {
        return (await call<{ pgn: string }>("/v1/convert", { game: form, to: "pgn" })).pgn
    } catch (error) {
        if (!(error instanceof Problem)) throw error
        return text
    }
}

/** Returns the tags of the text, without tags that the host adds, such as the opening. */
const ownTags = (tags: Record<string, string>, ofText: Record<string, string>) => ({
    ...ofText,
    ...Object.fromEntries(
        Object.entries(tags).filter(
            ([name, value]) => name in ofText || !(addedTags.has(name) || /^[?.]+$/.test(value)),
        ),
    ),
})
const addedTags = new Set(["Result", "SetUp", "FEN", "Variant", "ECO", "Opening"])

const withMoveNumber = (issue: Issue): Issue =>
    typeof issue.ply !== "number"
        ? issue
        : {
              ...issue,
              message: texts.positions.moveIssue(
                  moveNumber(issue.ply - 1, true, standardNumber),
                  issue.message,
              ),
          }
const standardNumber = "8/8/8/8/8/8/8/8 w - - 0 1"

function resultOfText(text: string) {
    const winner = winners[text]
    return winner === undefined ? null : { winner, reason: "" }
}

class Importer {
    tree: Tree
    readonly mainLine: number[] = [trees.rootId]
    readonly losses: string[] = []
    readonly scores: [number, Score][] = []
    private variations = 0

    constructor(
        private readonly start: string,
        main: PlayedMove[],
    ) {
        this.tree = trees.newTree(start.split(" ")[0] ?? "")
        for (const move of main) {
            const added = trees.withMove(
                this.tree,
                this.mainLine[this.mainLine.length - 1] ?? trees.rootId,
                move,
            )
            this.tree = added.tree
            this.mainLine.push(added.id)
        }
    }

    async annotate(moves: PgnMove[], comment: string): Promise<void> {
        this.add(trees.rootId, { comment })
        const waiting: Variation[] = this.annotateLine(this.mainLine.slice(1), moves, [])
        while (waiting.length > 0) {
            const batch = waiting.splice(0, parallelRequests)
            const read = await Promise.all(batch.map((variation) => this.read(variation)))
            batch.forEach((variation, index) =>
                waiting.push(...this.attach(variation, read[index] ?? [])),
            )
        }
    }

    /** Adds the comments of a line. Returns the variations that begin in it. */
    private annotateLine(ids: number[], moves: PgnMove[], before: string[]): Variation[] {
        const sans = moves.map(({ san }) => san)
        return ids.flatMap((id, index) => {
            const move = moves[index]
            if (!move) return []
            this.add(id, move)
            const { parent } = trees.nodeOf(this.tree, id)
            return move.variations.map((line) => ({
                parent: parent ?? trees.rootId,
                line,
                before: [...before, ...sans.slice(0, index)],
            }))
        })
    }

    private add(
        id: number,
        { comment = "", commentBefore = "", nags = [] }: Partial<PgnMove>,
    ): void {
        const before = readCommands(commentBefore)
        const { text, clockSeconds, score, shapes, commands } = readCommands(comment)
        if (score) this.scores.push([id, score])
        const annotation: Annotation = {
            ...(text ? { comment: text } : {}),
            ...(commentBefore ? { commentBefore: before.text } : {}),
            ...(nags.length > 0 ? { nags } : {}),
            ...(shapes.length > 0 ? { shapes } : {}),
            ...(commands || before.all
                ? { commands: [before.all, commands].filter(Boolean).join(" ") }
                : {}),
            ...(clockSeconds !== null ? { clockSeconds } : {}),
        }
        this.tree = trees.annotated(this.tree, id, annotation)
    }

    /** Returns the moves of a variation; null if it is dropped. */
    private async read({ before, line }: Variation): Promise<PlayedMove[] | null> {
        this.variations += 1
        if (this.variations > maxVariations) {
            if (this.variations === maxVariations + 1)
                this.losses.push(texts.positions.variationsLost(maxVariations))
            return null
        }
        let sans = line.map(({ san }) => san)
        for (;;) {
            try {
                return (await playedMoves({ fen: this.start, san: [...before, ...sans] })).slice(
                    before.length,
                )
            } catch (error) {
                if (!(error instanceof Problem)) throw error
                const [issue] = error.body.issues ?? []
                const legal = (issue?.ply ?? 0) - 1 - before.length
                this.losses.push(
                    texts.positions.variationCut(
                        issue ? withMoveNumber(issue).message : error.body.detail,
                    ),
                )
                if (legal < 1 || legal >= sans.length) return null
                sans = sans.slice(0, legal)
            }
        }
    }

    private attach({ parent, line, before }: Variation, moves: PlayedMove[] | null): Variation[] {
        const ids: number[] = []
        for (const move of moves ?? []) {
            const added = trees.withMove(this.tree, ids[ids.length - 1] ?? parent, move)
            this.tree = added.tree
            ids.push(added.id)
        }
        return this.annotateLine(ids, line, before)
    }
}

interface Variation {
    parent: number
    line: PgnMove[]
    /** The moves before the variation, in SAN. */
    before: string[]
}

/** Commands contain no brackets, so the pattern reads a long row of unclosed commands only once. */
const anyCommand = /\[%\w[^[\]]*\]/g

/** Commands that the page reads. Others are kept as they are. */
const isKnownCommand = (command: string) => /^\[%(?:clk|eval|cal|csl)\s/.test(command)

/**
 * Reads the commands in a comment: `[%clk 0:03:00]`, `[%eval 0.35]`, `[%cal Ge2e4]` and `[%csl
 * Re5]`.
 */
function readCommands(comment: string) {
    const commands = comment.match(anyCommand) ?? []
    const all = commands.join(" ")
    const clock = /\[%clk\s+(\d+):(\d+):(\d+(?:\.\d+)?)\]/.exec(all)
    const evaluation = /\[%eval\s+(#?)(-?\d+(?:\.\d+)?)[^\]]*\]/.exec(all)
    const number = Number(evaluation?.[2])
    return {
        text: comment.replace(anyCommand, "").replace(/\s+/g, " ").trim(),
        clockSeconds: clock
            ? Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3])
            : null,
        shapes: shapesIn(all),
        all,
        commands: commands.filter((command) => !isKnownCommand(command)).join(" "),
        score: evaluation
            ? evaluation[1]
                ? { mate: number }
                : { cp: Math.round(number * 100) }
            : null,
    }
}
