// Short sounds for moves, captures and the end of the game. They are on by default.

import { currentNode, cursor, isOver, plies } from "./game"
import { effect, signal, untracked } from "@preact/signals"
import { local } from "./storage"

const storageKey = "sound"

export const isSoundOn = signal(local.get(storageKey) !== "off")

export function toggleSound(): void {
    isSoundOn.value = !isSoundOn.value
    local.set(storageKey, isSoundOn.value ? "on" : "off")
}

let context: AudioContext | null = null

/** Plays a tone that fades. */
function tone(frequency: number, seconds: number): void {
    context ??= new AudioContext()
    const [oscillator, gain] = [context.createOscillator(), context.createGain()]
    oscillator.type = "triangle"
    oscillator.frequency.value = frequency
    gain.gain.setValueAtTime(0.2, context.currentTime)
    gain.gain.exponentialRampToValueAtTime(0.001, context.currentTime + seconds)
    oscillator.connect(gain).connect(context.destination)
    oscillator.start()
    oscillator.stop(context.currentTime + seconds)
}

let last = currentNode.peek().id

/** Each step forward makes one sound. */
effect(() => {
    const { id, parent, san } = currentNode.value
    const isStep = parent === last
    last = id
    // Browsers do not allow sound before the first click or key.
    if (!isSoundOn.value || !isStep || !navigator.userActivation?.hasBeenActive) return
    untracked(() => {
        const isEnd = isOver.value && cursor.value === plies.value.length
        tone(isEnd ? 330 : san.includes("x") ? 440 : 620, isEnd ? 0.6 : 0.12)
    })
})
