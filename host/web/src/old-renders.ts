// Lets go of what earlier renders have made. A virtual node that a render replaced keeps its
// children, and a component that had nothing to change shares them with the next one. Together they
// would hold every render since the first, with its elements and listeners.

import { options } from "preact"
import type { VNode } from "preact"

/** What Preact keeps under these names: the children of a node, and its component. */
type Rendered = VNode & { __k: unknown; __c: object | null }
type Hooks = typeof options & { __c?: (root: VNode, commits: object[]) => void }

const hooks: Hooks = options
const latest = new WeakMap<object, Rendered>()
let replaced: Rendered[] = []

const { diffed, __c: commit } = hooks

hooks.diffed = (node) => {
    diffed?.(node)
    const { __c: component } = node as Rendered
    if (!component) return
    const before = latest.get(component)
    if (before && before !== node) replaced.push(before)
    latest.set(component, node as Rendered)
}

/** Until then a render still looks for its neighbours among the nodes before. */
hooks.__c = (root, commits) => {
    for (const node of replaced) node.__k = null
    replaced = []
    commit?.(root, commits)
}
