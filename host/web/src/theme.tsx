// The colour theme: light, dark, or the system's choice.

import { signal, useSignalEffect } from "@preact/signals"
import { Icon } from "./icon"
import { local } from "./storage"
import { common } from "./texts/common"

const themes = ["system", "light", "dark"] as const
const theme = signal<(typeof themes)[number]>(
    themes.find((known) => known === local.get("theme")) ?? "system",
)

/** Increases when the theme changes, to redraw the graph. */
export const colors = signal(0)

export function ThemeButton() {
    useSignalEffect(() => {
        document.documentElement.dataset.theme = theme.value
        local.set("theme", theme.value)
        colors.value = colors.peek() + 1
    })
    const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system"
    const icon = {
        system: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
        light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5",
        dark: "M19 14.5A8 8 0 1 1 9.5 5a6.5 6.5 0 0 0 9.5 9.5z",
    }[theme.value]
    return (
        <button
            type="button"
            class="icon"
            aria-label={common.switchTheme(common.themes[theme.value], common.themes[next])}
            title={common.theme(common.themes[theme.value])}
            onClick={() => (theme.value = next)}
        >
            <Icon path={icon} />
        </button>
    )
}
