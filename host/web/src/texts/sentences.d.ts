/** The sentences of claims in one language, provided by a plugin in `vite.config.js`. */
declare module "sentences:*" {
    const sentences: import("../claims").Sentences
    export default sentences
}
