import { defineConfig } from "vite"

export default defineConfig({
    build: {
        // The Content Security Policy allows separate files only.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        license: { fileName: "licenses.txt" },
        target: "es2022",
        reportCompressedSize: false,
    },
    server: {
        proxy: { "/v1": "http://127.0.0.1:8080" },
    },
})
