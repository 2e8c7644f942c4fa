// `src/api/schema.d.ts` matches the server's OpenAPI document. `UPDATE_TYPES=1 node --test
// tests/schema.test.js` rewrites it.

import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { repository, startServer } from "./server.js"

const committed = join(repository, "host/web/src/api/schema.d.ts")

/**
 * Returns schemas without descriptions, formats and examples, which do not affect types. A member
 * with one of these names is a keyword if its value is a string. Otherwise it is a property's
 * schema.
 */
function withoutTexts(schemas) {
    const texts = ["description", "format", "example"]
    return JSON.parse(
        JSON.stringify(schemas, (key, value) =>
            texts.includes(key) && typeof value === "string" ? undefined : value,
        ),
    )
}

/** Generates the types of a document's schemas. */
function generate({ openapi, components }) {
    const programs = execFileSync(join(repository, "tools/scripts/typescript-tools.sh"), {
        encoding: "utf8",
    })
    const folder = mkdtempSync(join(tmpdir(), "rookery-types-"))
    try {
        const [input, output] = [join(folder, "openapi.json"), join(folder, "schema.d.ts")]
        const info = { title: "Rookery", version: "1" }
        const schemas = withoutTexts(components.schemas)
        writeFileSync(input, JSON.stringify({ openapi, info, paths: {}, components: { schemas } }))
        const forms = ["--alphabetize", "--root-types", "--root-types-no-schema-prefix"]
        const command = [input, "--output", output, ...forms]
        execFileSync(join(programs.trim(), "openapi-typescript"), command, { stdio: "pipe" })
        return readFileSync(output, "utf8")
    } finally {
        rmSync(folder, { recursive: true, force: true })
    }
}

test("the page's types match the OpenAPI document", async () => {
    const server = await startServer()
    try {
        const types = generate(await (await fetch(`${server.address}/openapi.json`)).json())
        assert.match(types, /^export type GameReply = /m)
        if (process.env.UPDATE_TYPES) writeFileSync(committed, types)
        assert.ok(
            types === readFileSync(committed, "utf8"),
            "host/web/src/api/schema.d.ts differs from the OpenAPI document; run " +
                "`UPDATE_TYPES=1 node --test tests/schema.test.js` in host/web and commit it",
        )
    } finally {
        await server.stop()
    }
})
