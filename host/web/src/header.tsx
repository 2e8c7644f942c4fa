// The head of each page.

import type { ComponentChildren } from "preact"
import { connected } from "./api"
import { common } from "./texts/common"

export function Header({ children }: { children: ComponentChildren }) {
    return (
        <header class="top">
            <svg class="logo" viewBox="0 0 40 40" aria-hidden="true">
                <use href="#shape-rook" />
            </svg>
            <span class="brand">Rookery</span>
            {!connected.value && (
                <span class="connection-lost" role="alert" data-testid="lost">
                    {common.connectionLost}
                </span>
            )}
            {children}
        </header>
    )
}
