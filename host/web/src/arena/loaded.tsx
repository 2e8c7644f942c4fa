// Screens that load on first use, so that the first screen appears sooner.

import { signal } from "@preact/signals"
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import { common } from "../texts/common"
import { ErrorText } from "./parts"

/** Returns a component that loads another one and shows it. */
export function loaded<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
    const found = signal<{ Screen: ComponentType<P> } | { error: unknown } | null>(null)
    return (props: P) => {
        useEffect(() => {
            load().then(
                (Screen) => (found.value = { Screen }),
                (error: unknown) => (found.value = { error }),
            )
        }, [])
        const now = found.value
        if (!now) return <p class="hint">{common.loading}</p>
        return "error" in now ? <ErrorText error={now.error} /> : <now.Screen {...props} />
    }
}
