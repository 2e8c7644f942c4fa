// The three doors of a first visit.

import { plies } from "./game"
import { isFirstVisit, openPlace, watchNewMatch } from "./places"
import { switches } from "./switches"

const doors = [
    { name: "Play", shape: "knight", about: "Against an AI of your strength, with or without clocks.", open: () => openPlace("play") },
    { name: "Analyse", shape: "bishop", about: "Any position, or a game that you load, with one AI or several.", open: () => openPlace("analyse") },
    { name: "Watch AIs", shape: "rook", about: "Two of them play a game, and show what they think.", open: watchNewMatch },
]

export const hasDoors = () => isFirstVisit.value && plies.value.length === 0 && switches.tool.value === null

export function Doors() {
    return (
        <section class="doors" aria-label="What would you like to do?">
            <h2>What would you like to do?</h2>
            {doors.map(({ name, shape, about, open }) => (
                <button key={name} type="button" onClick={open}>
                    <svg viewBox="0 0 40 40" aria-hidden="true">
                        <use href={`#shape-${shape}`} />
                    </svg>
                    <strong>{name}</strong>
                    <span class="muted">{about}</span>
                </button>
            ))}
        </section>
    )
}
