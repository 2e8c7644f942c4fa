/** Sentences of claims in one language, from a plugin in `vite.config.js`. */
declare module "sentences:*" {
    const sentences: import("../claims").Sentences
    export default sentences
}
