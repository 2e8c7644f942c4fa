import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { defineConfig } from "vite"

/** Leaves each file's compressed forms beside it, for the host to send as they are. */
const compressed = {
    name: "compressed",
    apply: "build",
    generateBundle: {
        order: "post",
        handler(_, bundle) {
            for (const [fileName, file] of Object.entries(bundle)) {
                const source = Buffer.from(file.type === "chunk" ? file.code : file.source)
                const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
                this.emitFile({ type: "asset", fileName: `${fileName}.br`, source: brotliCompressSync(source, { params }) })
                this.emitFile({ type: "asset", fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) })
            }
        },
    },
}

export default defineConfig({
    plugins: [compressed],
    build: {
        // The page's policy allows what stands in a file of its own and nothing else.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        license: { fileName: "licenses.txt" },
        target: "es2022",
    },
    server: {
        proxy: { "/v1": "http://127.0.0.1:8080" },
    },
})
