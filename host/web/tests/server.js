// Starts a server on a free port, with working and failing AIs.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"

export const repository = resolve(import.meta.dirname, "../../..")
const build = process.env.ROOKERY_BUILD ?? join(repository, "target/debug")
export const program = join(build, "rookery")

const ais = `
[ai.basic1]
library = "ai_basic1"
workers = 2
limit = { depth = 3 }

[ai.quick]
library = "ai_basic1"
limit = { depth = 2 }
options = { quiescence = false }

[ai.thorough]
library = "ai_basic1"
move_timeout_ms = 300000
limit = { movetime_ms = 290000 }

[ai.first]
library = "fault_injector"
options.fault = "abort_every_10th"

[ai.segfaults]
library = "segfaults"

[ai.hangs]
library = "hangs"
move_timeout_ms = 600

[ai.cheats]
library = "plays_illegal_move"
`

const anyClient = `
[client.default]
ai = "basic1"
max_match_games = 1000
`

const fiveLevels = `
[level]
beginner = { name = "Level 1", elo = 800, ai = "basic1", limit = { nodes = 20 } }
casual = { name = "Level 2", elo = 1150, ai = "basic1", limit = { depth = 1 } }
improver = { name = "Level 3", elo = 1400, ai = "basic1", limit = { depth = 2 } }
club = { name = "Level 4", elo = 1650, ai = "basic1", limit = { depth = 3 } }
strongest = { name = "Strongest", elo = 2000, ai = "basic1", limit = { movetime_ms = 3000 } }
`

/**
 * Starts `rookery serve` with these clients and levels in its configuration. Port 0 selects a free
 * port.
 */
export async function startServer({ clients = anyClient, levels = fiveLevels, port = 0 } = {}) {
    const folder = mkdtempSync(join(tmpdir(), "rookery-page-"))
    const config = join(folder, "rookery.toml")
    const folders = [join(build, "deps"), build, join(build, "examples")]
    writeFileSync(
        config,
        `[plugins]\npolicy = "configured"\ndirectories = ${JSON.stringify(folders)}\n${ais}${clients}${levels}`,
    )
    const command = ["serve", "--config", config, "--listen", `127.0.0.1:${port}`]
    const child = spawn(program, command, { stdio: ["ignore", "pipe", "pipe"] })
    let errors = ""
    child.stderr.on("data", (data) => (errors += data))
    const lines = createInterface({ input: child.stdout })
    const said = await Promise.race([once(lines, "line"), once(child, "exit")])
    const address = /^listening on (http:\/\/\S+)/.exec(String(said[0]))?.[1]
    if (!address) throw new Error(`the server did not start: ${errors}`)
    const stop = async () => {
        if (child.exitCode === null && child.signalCode === null) {
            child.kill("SIGKILL")
            await once(child, "exit")
        }
        rmSync(folder, { recursive: true, force: true })
    }
    const [suspend, resume] = [() => child.kill("SIGSTOP"), () => child.kill("SIGCONT")]
    return { address, port: Number(new URL(address).port), config, stop, suspend, resume }
}
