// All strings of the page are in tables, with one set for each language.

import assert from "node:assert/strict"
import { readFileSync, readdirSync } from "node:fs"
import { join, relative } from "node:path"
import { after, before, test } from "node:test"
import { SyntaxKind } from "typescript/unstable/ast"
import { API } from "typescript/unstable/sync"
import { repository } from "./server.js"
import { moduleOf } from "./sources.js"

const web = join(repository, "host/web")
const source = join(web, "src")

let api
/** The sources outside the tables, by name. */
const sources = new Map()
const tables = []

before(() => {
    api = new API({ cwd: web })
    const { program } = api
        .updateSnapshot({ openProject: join(web, "tsconfig.json") })
        .getProjects()[0]
    for (const name of readdirSync(source, { recursive: true }).map(String)) {
        if (!/\.tsx?$/.test(name)) continue
        const file = program.getSourceFile(join(source, name))
        if (/^texts\/en\//.test(name)) tables.push(file)
        else if (!name.startsWith("texts/")) sources.set(name, file)
    }
    assert.ok(sources.size > 100 && tables.length > 5)
})
after(() => api?.close())

/**
 * Calls `visit` for each descendant of a node. It skips the children of a node if `visit` returns
 * false.
 */
function walk(node, visit) {
    node.forEachChild((child) => {
        if (visit(child) !== false) walk(child, visit)
    })
}

/** Returns `file:line: text`. */
function placeOf(file, node, text) {
    const line = file.text.slice(0, node.getStart()).split("\n").length
    return `${relative(source, file.fileName)}:${line}: ${text.trim()}`
}

/** Names that are the same in every language. */
const names = new Set(["API", "DTZ", "PGN", "Rookery", "e4", "s"])
const isText = (text) => /\p{L}/u.test(text.replaceAll("&nbsp;", "")) && !names.has(text.trim())

/** Operators with two possible values, left and right. */
const alternatives = new Set([
    SyntaxKind.BarBarToken,
    SyntaxKind.QuestionQuestionToken,
    SyntaxKind.PlusToken,
])
const ends = new Set([...alternatives, SyntaxKind.AmpersandAmpersandToken])

/** Returns the literals that an expression can evaluate to. */
function literals(node) {
    switch (node?.kind) {
        case SyntaxKind.StringLiteral:
        case SyntaxKind.NoSubstitutionTemplateLiteral:
            return [[node, node.text]]
        case SyntaxKind.TemplateExpression:
            return [
                [node.head, node.head.text],
                ...node.templateSpans.flatMap(({ expression, literal }) => [
                    ...literals(expression),
                    [literal, literal.text],
                ]),
            ]
        case SyntaxKind.ConditionalExpression:
            return [...literals(node.whenTrue), ...literals(node.whenFalse)]
        case SyntaxKind.BinaryExpression:
            return [
                ...(alternatives.has(node.operatorToken.kind) ? literals(node.left) : []),
                ...(ends.has(node.operatorToken.kind) ? literals(node.right) : []),
            ]
        case SyntaxKind.ParenthesizedExpression:
        case SyntaxKind.JsxExpression:
            return literals(node.expression)
        default:
            return []
    }
}

const shownAttributes = new Set([
    "alt",
    "aria-description",
    "aria-label",
    "aria-roledescription",
    "aria-valuetext",
    "hint",
    "label",
    "placeholder",
    "title",
])

/** Returns the text in the elements and attributes of a file. */
function textsIn(file) {
    const found = []
    const add = (pairs) =>
        found.push(
            ...pairs
                .filter(([, text]) => isText(text))
                .map(([node, text]) => placeOf(file, node, text)),
        )
    walk(file, (node) => {
        // A command is the same in every language.
        if (node.kind === SyntaxKind.JsxElement && node.openingElement.tagName.text === "code")
            return false
        if (node.kind === SyntaxKind.JsxText) add([[node, node.text]])
        if (node.kind === SyntaxKind.JsxElement || node.kind === SyntaxKind.JsxFragment)
            add(
                node.children
                    .filter(({ kind }) => kind === SyntaxKind.JsxExpression)
                    .flatMap(literals),
            )
        if (node.kind === SyntaxKind.JsxAttribute && shownAttributes.has(node.name.text))
            add(literals(node.initializer))
    })
    return found
}

/** Values that are never shown. */
const isInternal = (node) =>
    node.kind === SyntaxKind.ImportDeclaration ||
    (node.kind === SyntaxKind.JsxAttribute && !shownAttributes.has(node.name.text)) ||
    (node.kind === SyntaxKind.NewExpression && /Error$/.test(node.expression.text ?? ""))

/**
 * Two words with a space between them are part of a sentence. CSS, commands and SVG paths contain
 * none.
 */
const isSentence = (text) => /(^|\s)\p{L}[\p{L}’]+ \p{L}[\p{L}’]+/u.test(text)

/** Returns the sentences in the code of a file. */
function sentencesIn(file) {
    const found = []
    walk(file, (node) => {
        if (isInternal(node)) return false
        const { text } = node
        const isLiteral = [
            SyntaxKind.StringLiteral,
            SyntaxKind.NoSubstitutionTemplateLiteral,
            SyntaxKind.TemplateHead,
            SyntaxKind.TemplateMiddle,
            SyntaxKind.TemplateTail,
        ].includes(node.kind)
        if (isLiteral && isSentence(text)) found.push(placeOf(file, node, text))
    })
    return found
}

test("elements and attributes take their text from the tables", () => {
    assert.deepEqual([...sources.values()].flatMap(textsIn), [])
})

/** Strings that are never shown, or that other programs expect in English. */
const internal = [
    /^curl\.tsx:\d+: # The answer had the request id$/,
    /^export\.ts:\d+: Casual game$/,
]

test("the code takes its sentences from the tables", () => {
    const found = [...sources.values()]
        .flatMap(sentencesIn)
        .filter((place) => !internal.some((known) => known.test(place)))
    assert.deepEqual(found, [])
})

test("texts are read when shown, not when their module loads", () => {
    const found = []
    const isFunction = ({ kind }) =>
        [
            SyntaxKind.ArrowFunction,
            SyntaxKind.FunctionDeclaration,
            SyntaxKind.FunctionExpression,
            SyntaxKind.MethodDeclaration,
        ].includes(kind)
    for (const file of sources.values())
        walk(file, (node) => {
            if (isFunction(node)) return false
            if (
                node.kind === SyntaxKind.PropertyAccessExpression &&
                ["texts", "common"].includes(node.expression.text)
            )
                found.push(placeOf(file, node, node.name.text))
        })
    assert.deepEqual(found, [])
})

test("every text in a table is used", () => {
    const code = [...sources.values(), ...tables].map(({ text }) => text).join("\n")
    const keys = []
    for (const file of tables)
        for (const statement of file.statements) {
            if (statement.kind !== SyntaxKind.VariableStatement) continue
            for (const { name, initializer } of statement.declarationList.declarations)
                if (
                    file.text.includes(`export const ${name.text} =`) &&
                    initializer.kind === SyntaxKind.ObjectLiteralExpression
                )
                    keys.push(
                        ...initializer.properties.map((property) => [
                            name.text,
                            property.name.text,
                        ]),
                    )
        }
    assert.ok(keys.length > 300)
    const isUsed = ([table, key]) =>
        table === "reasons" || code.includes(`.${key}`) || code.includes(`"${key}"`)
    assert.deepEqual(
        keys.filter((key) => !isUsed(key)),
        [],
    )
})

test("every reason for a failed match has a German translation", async () => {
    const server = join(repository, "host/extras/arena/src/matches")
    const [errors] = /enum MatchError \{[^]*?\n\}/.exec(
        readFileSync(join(server, "setup.rs"), "utf8"),
    )
    const notAllowed = /NOT_ALLOWED: &str =\s*"([^"]+)"/.exec(
        readFileSync(join(server, "record.rs"), "utf8"),
    )
    const reasons = [...errors.matchAll(/#\[error\(\s*"([^"]+)"/g), notAllowed].map(([, words]) =>
        words.replaceAll(/\{\d?\}/g, "24"),
    )
    assert.ok(reasons.length > 7)
    const { failures } = await moduleOf("match-failures.ts")
    const { match } = await moduleOf("texts/de/match.ts")
    const codesOf = (reason) => Object.keys(failures).filter((code) => failures[code].test(reason))
    assert.deepEqual(reasons.flatMap(codesOf).toSorted(), Object.keys(match.failures).toSorted())
})

test("counts of one use the singular", () => {
    const plurals =
        /\$\{\w+\} (games|moves|minutes|seconds|positions|faults|AIs|Partien|Zügen?|Minuten|Sekunden|Stellungen|Ausfälle|KIs)\b/
    const folder = join(source, "texts")
    const found = readdirSync(folder, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith(".ts"))
        .flatMap((name) =>
            readFileSync(join(folder, name), "utf8")
                .split("\n")
                // These numbers are never 1.
                .filter(
                    (line) =>
                        plurals.test(line) &&
                        !/=== 1 |most|role|fewGames|of \$\{all\}|\$\{ais\} AIs/.test(line),
                )
                .map((line) => `${name}: ${line.trim()}`),
        )
    assert.deepEqual(found, [])
})
