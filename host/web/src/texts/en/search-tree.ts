// The search tree of an AI.

export const searchTree = {
    show: "Show search tree",
    isSearching: (ai: string) => `${ai} is searching`,
    empty: (ai: string) => `${ai} returned an empty search tree.`,
    notSupported: (ai: string) => `${ai} does not support search trees.`,
    supportedBy: (ais: string) => `Supported by: ${ais}.`,
    about: "Shows the positions that an AI searched with their scores, the best move first. Stepping through follows the search.",
    root: "Root position",
    bestLine: "best line",
    stepThrough: "Step through the search",
    back: "Step back",
    begin: "Step through",
    step: "Step",
    autoplay: "Autoplay",
    stopAutoplay: "Stop autoplay",
    showAll: "Show all",
    positions: (count: number, isTruncated: boolean) =>
        `${isTruncated ? "First " : ""}${count.toLocaleString("en")} positions. Press Space to step through the search.`,
    stepOf: (step: number, steps: number) => `Step ${step} of ${steps}`,
    tree: "Search tree",
    node: (depth: number, window: string, kind: string) =>
        `Remaining depth ${depth}, window ${window}, ${kind}.`,
    window: (alpha: string, beta: string) => `${alpha} to ${beta}`,
    kinds: {
        complete: "fully searched",
        cutoff: "skipped: one reply already refutes it",
        static_eval: "static evaluation",
        tt_hit: "transposition table hit",
        pruned: "pruned",
        checkmate: "checkmate",
        stalemate: "stalemate",
        repetition: "repetition",
        fifty_moves: "50-move rule",
        insufficient_material: "insufficient material",
        stopped: "search stopped",
        other: "other",
    },
    refuted: (move: string, reply: string | undefined) =>
        `${reply ? `The reply ${reply}` : "One reply"} already refutes ${move}, so the search skipped all others.`,
}
