// The arena page: its screens, or an explanation if the server has no arena.

import { useEffect } from "preact/hooks"
import { clientId, clientKey, Problem } from "../api"
import { Header, Places } from "../header"
import { Menu } from "../menu"
import { ThemeButton } from "../theme"
import { NoArena } from "./empty"
import { arena, arenaError, refreshArena } from "./ladder-data"
import { loaded } from "./loaded"
import { LadderScreen } from "./overview"
import { ErrorText, Heading } from "./parts"
import { gamesLink, ladderLink, route } from "./route"
import { texts } from "../texts/arena"
import { common } from "../texts/common"

const PlayerScreen = loaded(async () => (await import("./player")).PlayerScreen)
const GamesScreen = loaded(async () => (await import("./games")).GamesScreen)

const hasArena = () =>
    !(arenaError.value instanceof Problem && arenaError.value.body.status === 404)

function Navigation() {
    const current = (screen: string) => (route.value.screen === screen ? "page" : undefined)
    return (
        <nav class="screens" aria-label={texts.name}>
            <a href={ladderLink} aria-current={current("ladder")}>
                {texts.ladder}
            </a>
            <a href={gamesLink({})} aria-current={current("games")}>
                {texts.games}
            </a>
        </nav>
    )
}

function Screens() {
    const now = route.value
    if (!hasArena()) return <NoArena />
    if (arenaError.value && !arena.value)
        return (
            <>
                <Heading title={texts.name} />
                <ErrorText error={arenaError.value} />
            </>
        )
    if (now.screen === "player") return <PlayerScreen key={now.id} id={now.id} />
    if (now.screen === "games") return <GamesScreen filters={now.filters} />
    return <LadderScreen />
}

export function ArenaPage() {
    useEffect(refreshArena, [clientId.value, clientKey.value])
    return (
        <>
            <Header>
                <Places current="arena" />
                <ThemeButton />
                <Menu label={common.more}>
                    <a href="/docs">API</a>
                    <span class="phone-only menu-row">
                        <ThemeButton />
                    </span>
                </Menu>
            </Header>
            <main class="arena">
                {hasArena() && <Navigation />}
                <Screens />
            </main>
        </>
    )
}
