// The three doors of a first visit.

import { plies } from "./game"
import { isFirstVisit, openPlace, watchNewMatch } from "./places"
import { switches } from "./switches"
import { texts } from "./texts/board"

const doors = [
    { name: "play", shape: "knight", open: () => openPlace("play") },
    { name: "analyse", shape: "bishop", open: () => openPlace("analyse") },
    { name: "watch", shape: "rook", open: watchNewMatch },
] as const

export const hasDoors = () =>
    isFirstVisit.value && plies.value.length === 0 && switches.tool.value === null

export function Doors() {
    return (
        <section class="doors" aria-label={texts.page.question}>
            <h2>{texts.page.question}</h2>
            {doors.map(({ name, shape, open }) => (
                <button key={name} type="button" onClick={open}>
                    <svg viewBox="0 0 40 40" aria-hidden="true">
                        <use href={`#shape-${shape}`} />
                    </svg>
                    <strong>{texts.page.doors[name]}</strong>
                    <span class="muted">{texts.page.aboutDoors[name]}</span>
                </button>
            ))}
        </section>
    )
}
