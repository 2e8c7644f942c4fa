// The header of both pages, with links to the places.

import type { ComponentChildren } from "preact"
import { connected } from "./api"
import { aisLink, placeLink, places } from "./place-names"
import type { Place, Tool } from "./switches"
import { common } from "./texts/common"

interface PlacesProps {
    current: Place | "arena"
    tool?: Tool | null
    /** Opens a place on this page. The other page links to it instead. */
    open?: (place: Place) => void
    openAis?: () => void
}

export function Places({ current, tool, open, openAis }: PlacesProps) {
    const shown = tool === "ais" ? tool : current
    const mark = (id: string) => (shown === id ? { "aria-current": "page" as const } : {})
    return (
        <nav class="places" aria-label={common.places}>
            {places.map((id) =>
                open ? (
                    <button key={id} type="button" {...mark(id)} onClick={() => open(id)}>
                        {common.placeNames[id]}
                    </button>
                ) : (
                    <a key={id} href={placeLink(id)}>
                        {common.placeNames[id]}
                    </a>
                ),
            )}
            <a href="/arena" {...mark("arena")}>
                {common.arena}
            </a>
            {openAis ? (
                <button type="button" class="wide-only" {...mark("ais")} onClick={openAis}>
                    {common.ais}
                </button>
            ) : (
                <a class="wide-only" href={aisLink}>
                    {common.ais}
                </a>
            )}
        </nav>
    )
}

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
