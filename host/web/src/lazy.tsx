// Parts of the page that load when they are first shown.

import { signal } from "@preact/signals"
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import { errorMessage } from "./format"
import { common } from "./texts/common"

const Loading = () => <p class="hint">{common.loading}</p>

/** Returns a component that loads when it is first shown, with a placeholder until then. */
export function lazy(
    load: () => Promise<ComponentType>,
    Placeholder: ComponentType = Loading,
): ComponentType {
    const loaded = signal<{ Part: ComponentType } | { error: unknown } | null>(null)
    const begin = () => {
        const now = loaded.peek()
        if (now && "Part" in now) return
        load().then(
            (Part) => (loaded.value = { Part }),
            (error: unknown) => (loaded.value = { error }),
        )
    }
    return function Lazy() {
        useEffect(begin, [])
        const now = loaded.value
        if (!now) return <Placeholder />
        if ("error" in now)
            return <p class="error-text">{errorMessage(common.theServer, now.error)}</p>
        return <now.Part />
    }
}
