// Claims in words and as PGN commands.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { before, test } from "node:test"
import { repository } from "./server.js"
import { moduleOf } from "./sources.js"

const languages = JSON.parse(
    readFileSync(join(repository, "host/crates/claims/src/sentences.json"), "utf8"),
)

let claims
before(async () => (claims = await moduleOf("claims.ts")))

/** A claim with every field. */
const whole = {
    piece: "rook",
    square: "d8",
    value: 4,
    moves: 2,
    lost: ["queen", "pawn"],
    won: ["rook"],
    by: { piece: "knight", square: "c7" },
    behind: { piece: "queen", square: "d6" },
    targets: [
        { piece: "king", square: "e8" },
        { piece: "rook", square: "a8" },
        { piece: "queen", square: "d5" },
    ],
    attackers: ["a1", "a2"],
    defenders: ["b3"],
    opening: "Barnes Opening",
    result: { before: "win", after: "cursed_win" },
    term: "king shield",
    change: -40,
}

/** Claims of every kind. Some kinds have one sentence for each kind of evidence. */
const everyClaim = Object.entries(languages.en.sentences).flatMap(([kind, sentence]) =>
    typeof sentence === "string"
        ? [{ ...whole, kind }]
        : Object.keys(sentence).map((evidence) => ({ ...whole, kind, evidence })),
)

test("every claim has a complete sentence in every language", () => {
    assert.ok(everyClaim.length > 40)
    for (const [name, language] of Object.entries(languages)) {
        assert.deepEqual(
            Object.keys(language.sentences),
            Object.keys(languages.en.sentences),
            `the kinds in ${name}`,
        )
        const sentences = everyClaim.map((claim) => claims.claimText(claim, language))
        assert.deepEqual(
            sentences.filter((text) => !text || /[{}]|undefined|NaN|^ | $|  /.test(text)),
            [],
        )
        assert.equal(new Set(sentences).size, sentences.length)
    }
})

const lossOf = (value, lost, won) => ({ kind: "loses_material", value, lost, won })
const sentences = [
    [
        { ...whole, kind: "allows_fork" },
        "allows the knight on c7 to fork the king on e8 and the rook on a8 and the queen on d5",
        "erlaubt dem Springer auf c7 eine Gabel gegen den König auf e8 und den Turm auf a8 und die Dame auf d5",
    ],
    [
        { ...whole, kind: "misses_skewer" },
        "misses skewering the rook on d8 and the queen on d6 with the knight on c7",
        "verpasst einen Spieß mit dem Springer auf c7 gegen den Turm auf d8 und die Dame auf d6",
    ],
    [
        { ...whole, kind: "underdefended" },
        "leaves the rook on d8 underdefended (attackers: 2, defenders: 1)",
        "lässt den Turm auf d8 zu wenig gedeckt (Angreifer: 2, Verteidiger: 1)",
    ],
    [
        { ...whole, kind: "tablebase_result" },
        "turns a win into a win spoiled by the fifty-move rule",
        "macht aus einem Gewinn einen Gewinn jenseits der 50-Züge-Regel",
    ],
    [
        { ...whole, kind: "evaluation_term" },
        "worsens 'king shield' in the AI's evaluation (-40)",
        "verschlechtert „king shield“ in der Bewertung der KI (-40)",
    ],
    [lossOf(3, ["knight"], []), "loses a knight", "verliert einen Springer"],
    [lossOf(2, ["pawn", "pawn"]), "loses two pawns", "verliert zwei Bauern"],
    [lossOf(2, ["rook"], ["bishop"]), "loses the exchange", "verliert die Qualität"],
    [
        lossOf(3, ["queen", "pawn"], ["rook", "rook"]),
        "loses the queen and a pawn for two rooks",
        "verliert die Dame und einen Bauern für zwei Türme",
    ],
    [
        lossOf(4, ["rook", "bishop", "pawn"], ["rook"]),
        "loses material (points: 4)",
        "verliert Material (Punkte: 4)",
    ],
    // A promotion captures no piece.
    [lossOf(8), "loses material (points: 8)", "verliert Material (Punkte: 8)"],
    [{ kind: "of_the_future", text: "is new" }, "is new", "is new"],
]

test("sentences name pieces, squares and prizes", () => {
    for (const [claim, ...texts] of sentences)
        assert.deepEqual(
            [languages.en, languages.de].map((language) => claims.claimText(claim, language)),
            texts,
        )
})

const commands = [
    [
        {
            kind: "hangs_piece",
            text: "leaves the knight on c6 hanging",
            piece: "knight",
            square: "c6",
            value: 3,
            start: "after",
            line: ["g2c6", "e8d8"],
            san: ["Bxc6+", "Kd8"],
            after: 1,
            instead: { line: ["c6e5", "g2b7"], san: ["Ne5", "Bb7"] },
        },
        "[%why hangs_piece piece=knight square=c6 value=3 start=after line=g2c6,e8d8 after=1 instead=c6e5,g2b7]",
    ],
    [
        { kind: "allows_fork", by: whole.by, targets: whole.targets, at: 1 },
        "[%why allows_fork by=knight-c7 targets=king-e8,rook-a8,queen-d5 at=1]",
    ],
    [
        { kind: "tablebase_result", result: { before: "win", after: "draw" }, line: [] },
        "[%why tablebase_result result=win-draw line=]",
    ],
    [
        { kind: "leaves_theory", opening: "Sicilian Defense: Najdorf, {English} [Attack]" },
        "[%why leaves_theory opening=Sicilian_Defense:_Najdorf_English_Attack]",
    ],
    [
        { kind: "evaluation_term", term: "king shield", change: -40 },
        "[%why evaluation_term term=king_shield change=-40]",
    ],
]

test("a claim is written as a command that other programs keep", () => {
    for (const [claim, command] of commands) assert.equal(claims.claimCommand(claim), command)
    assert.equal(
        claims.claimSentence(commands[0][0]),
        "Leaves the knight on c6 hanging.",
        "its sentence begins with a capital letter and has a full stop",
    )
})
