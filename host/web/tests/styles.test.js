// Sizes and colours in the styles come from `tokens.css` and the palette.

import assert from "node:assert/strict"
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { repository } from "./server.js"

const folder = join(repository, "host/web/src/styles")
const palette = readFileSync(join(repository, "host/crates/server/src/docs/palette.css"), "utf8")
const tokens = readFileSync(join(folder, "tokens.css"), "utf8")
const names = readdirSync(folder).filter((name) => name.endsWith(".css"))

/** Returns the text without comments, with its line numbers intact. */
const withoutComments = (text) =>
    text.replace(/\/\*[^]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))

/** Returns the declarations of a style sheet. */
function declarationsOf(name) {
    const text = withoutComments(readFileSync(join(folder, name), "utf8"))
    return [...text.matchAll(/([\w-]+):\s+([^;{}]+);/g)].map((found) => ({
        place: `${name}:${text.slice(0, found.index).split("\n").length}`,
        property: found[1],
        value: found[2].replace(/\s+/g, " "),
    }))
}
const all = names.filter((name) => name !== "tokens.css").flatMap(declarationsOf)
const textOf = ({ place, property, value }) => `${place}: ${property}: ${value}`

test("spaces, texts and corners use size tokens", () => {
    const sized = all.filter(({ property }) =>
        /^((scroll-)?(margin|padding)(-.+)?|(row-|column-)?gap|inset(-.+)?|top|right|bottom|left|font|font-size|border(-.+)?-radius)$/.test(
            property,
        ),
    )
    assert.ok(sized.length > 200, `${sized.length} declarations`)
    // 1px is for hairlines. Percentages and viewport units are not steps of a scale.
    const isRaw = ({ value }) => /(?<![\w.-])(?!1px\b)[\d.]+(px|rem|em|ch|ex|pt)\b/.test(value)
    assert.deepEqual(sized.filter(isRaw).map(textOf), [])
})

test("colours come from tokens", () => {
    const isRaw = ({ property, value }) =>
        !property.startsWith("--") &&
        /#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|oklab|lab|lch|hwb)a?\(|\blight-dark\(|(?<![\w-])(white|black|red|green|blue|gr[ae]y)(?![\w-])/i.test(
            value,
        )
    assert.deepEqual(
        all
            .filter(
                (found) =>
                    isRaw(found) ||
                    (found.property.startsWith("--") && /#[0-9a-f]{3,8}\b/i.test(found.value)),
            )
            .map(textOf),
        [],
    )
})

test("each token is defined once and used", () => {
    const defined = [
        ...withoutComments(palette + tokens.slice(0, tokens.indexOf("\n}\n"))).matchAll(
            /^\s*(--[\w-]+):/gm,
        ),
    ].map(([, name]) => name)
    assert.deepEqual(
        defined.filter((name, index) => defined.indexOf(name) !== index),
        [],
    )
    assert.ok(defined.filter((name) => name.startsWith("--space-")).length <= 8)
    assert.ok(defined.filter((name) => name.startsWith("--text-")).length <= 6)
    const sources = readdirSync(join(folder, ".."), { recursive: true })
        .map(String)
        .filter((name) => /\.(tsx?|css)$/.test(name))
    // Names of marks, arrows and drawing colours are composed in code.
    const isComposed = (name) => /^--(mark|arrow|drawn)-/.test(name)
    const text = sources.map((name) => readFileSync(join(folder, "..", name), "utf8")).join("\n")
    assert.deepEqual(
        defined.filter(
            (name) =>
                !isComposed(name) && !text.includes(`var(${name})`) && !text.includes(`"${name}"`),
        ),
        [],
    )
})
