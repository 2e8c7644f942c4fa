// The head of each page, with the places.

import type { ComponentChildren } from "preact"
import { connected } from "./api"
import { placeLink, places } from "./place-names"
import type { Place } from "./switches"

interface PlacesProps {
    current: Place | "arena"
    /** Opens a place on this page; another page links to it. */
    open?: (place: Place) => void
}

export function Places({ current, open }: PlacesProps) {
    const mark = (id: string) => (current === id ? { "aria-current": "page" as const } : {})
    return (
        <nav class="places" aria-label="Places">
            {(Object.keys(places) as Place[]).map((id) =>
                open ? (
                    <button key={id} type="button" {...mark(id)} onClick={() => open(id)}>
                        {places[id]}
                    </button>
                ) : (
                    <a key={id} href={placeLink(id)}>
                        {places[id]}
                    </a>
                ),
            )}
            <a href="/arena" {...mark("arena")}>
                Arena
            </a>
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
                    Connection lost. Reconnecting…
                </span>
            )}
            {children}
        </header>
    )
}
