import { appendFileSync, readFileSync } from "node:fs"
import { defineConfig } from "vite"

/** Adds the font's licence, because the build lists only packages with scripts. */
const licenseOfFont = {
    name: "license-of-font",
    writeBundle({ dir }) {
        const license = readFileSync("node_modules/@fontsource/fraunces/LICENSE", "utf8")
        appendFileSync(`${dir}/licenses.txt`, `\n## @fontsource/fraunces (OFL-1.1)\n\n${license}`)
    },
}

/**
 * Loads translations and screens without Vite's helper, because no chunk has its own styles or
 * imports.
 */
const plainImports = {
    name: "plain-imports",
    enforce: "pre",
    load: (id) =>
        id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load()" : null,
}

const sentencesFile = new URL("../crates/claims/src/sentences.json", import.meta.url)
/**
 * `sentences:en` contains the English sentences of claims, from the host's file with all languages,
 * because a page loads only one language.
 */
const sentences = {
    name: "sentences",
    resolveId: (id) => (id.startsWith("sentences:") ? `\0${id}` : null),
    load(id) {
        const [, language] = /^\0sentences:(\w+)$/.exec(id) ?? []
        if (!language) return null
        const all = JSON.parse(readFileSync(sentencesFile, "utf8"))
        return `export default ${JSON.stringify(all[language])}`
    },
}

/**
 * `vite build` builds the board page, `vite build --mode arena` the arena page. One build for both
 * would share chunks. The compressed pages would be 2.0 kB and 2.4 kB larger, and all files together
 * 51 kB smaller.
 */
export default defineConfig(({ mode }) => {
    const isArena = mode === "arena"
    return {
        plugins: [plainImports, sentences, ...(isArena ? [] : [licenseOfFont])],
        build: {
            rolldownOptions: { input: isArena ? "arena.html" : "index.html" },
            emptyOutDir: !isArena,
            // The Content Security Policy allows only separate files.
            assetsInlineLimit: 0,
            modulePreload: { polyfill: false },
            // The board page contains all packages of the arena page, so one list covers both.
            license: isArena ? false : { fileName: "licenses.txt" },
            target: "es2022",
            reportCompressedSize: false,
        },
        server: {
            proxy: { "/v1": "http://127.0.0.1:8080" },
        },
    }
})
