// Explains the arena and how to start it, if there is none or it has no games yet.

import { Heading } from "./parts"
import { texts } from "../texts/arena"

const About = () => <p>{texts.explained}</p>

export function NoArena() {
    return (
        <>
            <Heading title={texts.name} />
            <section class="card about-arena" aria-label={texts.about}>
                <p>
                    <strong>{texts.none}</strong>
                </p>
                <About />
                <h2>{texts.start}</h2>
                <p>{texts.startInConfiguration}</p>
                <pre>
                    <code>{'[arena]\nfile = "arena.db"'}</code>
                </pre>
                <p>{texts.startByCommand}</p>
                <pre>
                    <code>rookery serve --arena arena.db</code>
                </pre>
                <p>{texts.startFromSources}</p>
                <pre>
                    <code>make run ARENA=1</code>
                </pre>
            </section>
        </>
    )
}

export const NoGames = () => (
    <section class="card about-arena" aria-label={texts.about}>
        <p>
            <strong>{texts.noGamesYet}</strong> {texts.firstRatings}
        </p>
        <About />
    </section>
)
