// An AI's search tree.

export const searchTree = {
    show: "Show search tree",
    isSearching: (ai: string) => `${ai} is searching`,
    empty: (ai: string) => `${ai} returned an empty search tree.`,
    notSupported: (ai: string) => `${ai} does not support search trees.`,
    supportedBy: (ais: string) => `Supported by: ${ais}.`,
    about: "See which positions an AI searches and how it scores them, best move first. Step through the search to follow it.",
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
        cutoff: "skipped: one reply refutes it",
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
        `${reply ? `The reply ${reply}` : "One reply"} refutes ${move}, so the search skipped all others.`,
}
