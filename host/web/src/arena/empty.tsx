// What the arena is and how it starts, where there is none or no game yet.

import { Heading } from "./parts"

const About = () => (
    <p>
        The arena is an endless tournament of the AIs on this server. It plays while no client asks an AI, and keeps the games and the rating of
        each AI across restarts and new versions.
    </p>
)

export function NoArena() {
    return (
        <>
            <Heading title="Arena" />
            <section class="card about-arena" aria-label="About the arena">
                <p>
                    <strong>This server has no arena.</strong>
                </p>
                <About />
                <h2>Start the arena</h2>
                <p>Name the file that keeps its games, in the configuration of the server:</p>
                <pre>
                    <code>{'[arena]\nfile = "arena.db"'}</code>
                </pre>
                <p>or on its command line:</p>
                <pre>
                    <code>rookery serve --arena arena.db</code>
                </pre>
                <p>or, from the sources:</p>
                <pre>
                    <code>make run ARENA=1</code>
                </pre>
            </section>
        </>
    )
}

export const NoGames = () => (
    <section class="card about-arena" aria-label="About the arena">
        <p>
            <strong>No games yet.</strong> The first ratings appear after the first pair of games.
        </p>
        <About />
    </section>
)
