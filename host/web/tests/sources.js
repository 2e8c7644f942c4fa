// Loads modules of the page as its build does.

import { join } from "node:path"
import { runnerImport } from "vite"
import buildOf from "../vite.config.js"
import { repository } from "./server.js"

/** Returns the exports of a module of the page. */
export async function moduleOf(name) {
    const { plugins } = buildOf({ mode: "production" })
    const options = { plugins, configFile: false, logLevel: "silent" }
    return (await runnerImport(join(repository, "host/web/src", name), options)).module
}
