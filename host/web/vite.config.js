import { appendFileSync, readFileSync } from "node:fs"
import { defineConfig } from "vite"

/** The build lists the packages of scripts alone. */
const licenseOfFont = {
    name: "license-of-font",
    writeBundle({ dir }) {
        const license = readFileSync("node_modules/@fontsource/fraunces/LICENSE", "utf8")
        appendFileSync(`${dir}/licenses.txt`, `\n## @fontsource/fraunces (OFL-1.1)\n\n${license}`)
    },
}

/**
 * Texts and screens are loaded without the helper of Vite, since no chunk has styles or imports of
 * its own.
 */
const plainImports = {
    name: "plain-imports",
    enforce: "pre",
    load: (id) =>
        id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load()" : null,
}

const sentencesFile = new URL("../crates/claims/src/sentences.json", import.meta.url)
/**
 * `sentences:en` has the English sentences of claims, from the host's file of all languages. The
 * page loads no other language.
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
 * `vite build` builds the page of the board, `vite build --mode arena` that of the arena. One build
 * for both needs chunks that they share: it makes the compressed pages 2.0 kB and 2.4 kB larger,
 * and the files of both 51 kB smaller.
 */
export default defineConfig(({ mode }) => {
    const isArena = mode === "arena"
    return {
        plugins: [plainImports, sentences, ...(isArena ? [] : [licenseOfFont])],
        build: {
            rolldownOptions: { input: isArena ? "arena.html" : "index.html" },
            emptyOutDir: !isArena,
            // The Content Security Policy allows separate files only.
            assetsInlineLimit: 0,
            modulePreload: { polyfill: false },
            // The packages of the arena are also in the page of the board.
            license: isArena ? false : { fileName: "licenses.txt" },
            target: "es2022",
            reportCompressedSize: false,
        },
        server: {
            proxy: { "/v1": "http://127.0.0.1:8080" },
        },
    }
})
