// A menu of rarely used actions behind a button with three dots.

import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { Icon } from "./icon"

export function Menu({ label, children }: { label: string; children: ComponentChildren }) {
    const menu = useRef<HTMLDetailsElement>(null)
    useEffect(() => {
        const close = () => menu.current?.removeAttribute("open")
        const closeOutside = ({ target }: Event) => {
            if (!menu.current?.contains(target as Node)) close()
        }
        const closeByKey = (event: KeyboardEvent) => {
            if (event.key !== "Escape" || !menu.current?.open) return
            event.stopPropagation()
            close()
            menu.current.querySelector("summary")?.focus()
        }
        const listeners = [
            ["pointerdown", closeOutside],
            ["focusin", closeOutside],
            ["keydown", closeByKey],
        ] as const
        for (const [name, listener] of listeners)
            addEventListener(name, listener as EventListener, true)
        return () => {
            for (const [name, listener] of listeners)
                removeEventListener(name, listener as EventListener, true)
        }
    }, [])
    return (
        <details
            class="menu"
            ref={menu}
            onClick={({ target }) =>
                (target as Element).closest("button, a") && menu.current?.removeAttribute("open")
            }
        >
            <summary class="icon" aria-label={label} title={label}>
                <Icon path="M5 12h.01M12 12h.01M19 12h.01" />
            </summary>
            <div class="menu-items">{children}</div>
        </details>
    )
}
