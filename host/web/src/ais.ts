// The list of AIs with their states, and the list of levels.

import { batch, computed, effect, signal, untracked } from "@preact/signals"
import { aiFaults } from "./ai-faults"
import { clientId, clientKey, listAis, listLevels, Problem } from "./api"
import type { Ai, ServerLevel } from "./api"
import { texts } from "./texts/board"

/** The AIs that the server lists; null before its first reply. */
const listed = signal<Ai[] | null>(null)
export const areAisKnown = computed(() => listed.value !== null)
/** All AIs. An AI is `faulty` if its last answer to this page was a fault and it still runs. */
export const ais = computed<Ai[]>(() =>
    (listed.value ?? []).map((ai) =>
        ai.id in aiFaults.value && isRunning(ai.state) ? { ...ai, state: "faulty" } : ai,
    ),
)
const isRunning = (state: Ai["state"]) => ["starting", "ready", "busy"].includes(state)
/** The levels that the server offers, weakest first. */
export const serverLevels = signal<ServerLevel[]>([])
/** The error from the last attempt to list the AIs. */
export const aisProblem = signal<Problem | null>(null)

export const aiIds = computed(() => ais.value.map((ai) => ai.id))

/** The AI of the strongest level whose AI works; the first AI if no level has one. */
export const strongestAi = computed<string | undefined>(() => {
    const works = (id: string) => ais.value.some((ai) => ai.id === id && ai.state !== "quarantined")
    return serverLevels.value.findLast(({ ai }) => works(ai))?.ai ?? aiIds.value[0]
})

/** Returns the display name of an AI. Adds the id if several AIs share a name. */
export function aiName(id: string): string {
    const ai = ais.value.find((ai) => ai.id === id)
    if (!ai) return id
    const shared = ais.value.some((other) => other.id !== id && other.name === ai.name)
    return shared && ai.name.toLowerCase() !== id ? `${ai.name} (${id})` : ai.name
}

/** Returns the suffix that marks an AI as unavailable in a list of choices. */
export const stateSuffix = ({ state }: Ai): string =>
    state === "ready" || state === "busy" ? "" : `: ${texts.ais.states[state]}`

export async function refreshAis(): Promise<void> {
    try {
        const [found, { levels }] = await Promise.all([listAis(), listLevels()])
        batch(() => {
            listed.value = found
            serverLevels.value = levels
            aisProblem.value = null
        })
    } catch (error) {
        if (!(error instanceof Problem)) throw error
        const problem = error
        batch(() => {
            listed.value = []
            serverLevels.value = []
            aisProblem.value = problem
        })
    }
}

const pollIntervalMs = 3000

/**
 * Polls the list for the current client while the page is visible. Returns a function that stops
 * it.
 */
export function watchAis(): () => void {
    return effect(() => {
        void [clientId.value, clientKey.value]
        let timer: ReturnType<typeof setTimeout>
        let isActive = true
        const poll = async () => {
            if (!document.hidden) await refreshAis().catch(() => undefined)
            if (isActive) timer = setTimeout(poll, pollIntervalMs)
        }
        untracked(() => void poll())
        return () => {
            isActive = false
            clearTimeout(timer)
        }
    })
}
