// The committed build in `dist` matches the sources.

import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { repository } from "./server.js"

const web = join(repository, "host/web")

/** Returns the files below a folder by name. */
function contents(folder) {
    const names = readdirSync(folder, { recursive: true }).map(String).sort()
    return new Map(
        names
            .filter((name) => statSync(join(folder, name)).isFile())
            .map((name) => [name, readFileSync(join(folder, name), "latin1")]),
    )
}

test("the committed build matches the sources", () => {
    const folder = mkdtempSync(join(tmpdir(), "rookery-dist-"))
    try {
        const vite = [
            join(web, "node_modules/vite/bin/vite.js"),
            "build",
            "--logLevel",
            "warn",
            "--outDir",
            folder,
        ]
        for (const mode of ["production", "arena"])
            execFileSync(process.execPath, [...vite, "--mode", mode], {
                cwd: web,
                env: { ...process.env, NODE_ENV: "production" },
                stdio: ["ignore", "inherit", "inherit"],
            })
        const [built, committed] = [contents(folder), contents(join(web, "dist"))]
        const stale = [...new Set([...built.keys(), ...committed.keys()])].filter(
            (name) => built.get(name) !== committed.get(name),
        )
        assert.ok(built.has("index.html") && built.has("arena.html"))
        assert.ok(
            stale.length === 0,
            `host/web/dist differs from a build of the sources in ${stale.join(", ")}; run \`make page\` and commit host/web/dist`,
        )
    } finally {
        rmSync(folder, { recursive: true, force: true })
    }
})
