// Import cycles are forbidden, and so are files over 500 lines unless they are generated.

import assert from "node:assert/strict"
import { existsSync, readFileSync, readdirSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { test } from "node:test"
import { repository } from "./server.js"

const source = join(repository, "host/web/src")
const files = readdirSync(source, { recursive: true })
    .map(String)
    .filter((name) => /\.(tsx?|css)$/.test(name))
const textOf = (name) => readFileSync(join(source, name), "utf8")

test("no source file has more than 500 lines", () => {
    assert.ok(files.length > 60)
    const long = files
        .filter((name) => name !== "api/schema.d.ts")
        .map((name) => [name, textOf(name).split("\n").length - 1])
        .filter(([, lines]) => lines > 500)
    assert.deepEqual(long, [])
})

/** Returns the modules that a module imports, including type imports. */
function importsOf(name) {
    const paths = [...textOf(name).matchAll(/^(?:import|export)\s[^"]*?"(\.[^"]+)"/gm)].map(
        ([, path]) => normalize(join(dirname(name), path)),
    )
    return paths.flatMap((path) =>
        [".ts", ".tsx"]
            .map((ending) => path + ending)
            .filter((file) => existsSync(join(source, file))),
    )
}

test("modules have no import cycles", () => {
    const modules = files.filter((name) => !name.endsWith(".css"))
    const finished = new Set()
    const visit = (name, path) => {
        assert.ok(
            !path.includes(name),
            `${[...path.slice(path.indexOf(name)), name].join(" → ")} is a cycle`,
        )
        if (finished.has(name)) return
        for (const next of importsOf(name)) visit(next, [...path, name])
        finished.add(name)
    }
    for (const name of modules) visit(name, [])
    assert.ok(importsOf("app.tsx").length > 20)
})
