// The AIs panel, which is loaded when it is first opened.

import { signal } from "@preact/signals"
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import "../ais/since"
import { errorMessage } from "../format"
import { common } from "../texts/common"

const found = signal<{ Page: ComponentType } | { error: unknown } | null>(null)

export function AisPanel() {
    useEffect(() => {
        import("../ais/page").then(
            ({ AisPage }) => (found.value = { Page: AisPage }),
            (error: unknown) => (found.value = { error }),
        )
    }, [])
    const now = found.value
    if (!now) return <p class="hint">{common.loading}</p>
    if ("error" in now) return <p class="error-text">{errorMessage(common.theServer, now.error)}</p>
    return <now.Page />
}
