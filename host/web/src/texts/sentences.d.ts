/** The sentences of claims in a language, from `vite.config.js`. */
declare module "sentences:*" {
    const sentences: import("../claims").Sentences
    export default sentences
}
