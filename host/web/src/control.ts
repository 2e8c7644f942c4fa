// Which side controls each square of the current position: the side with more attackers.

import { effect, signal } from "@preact/signals"
import { attacks } from "./api"
import type { Mark } from "./board/layers"
import { gameForm, positionInfo } from "./game"
import { switches } from "./switches"

export const controlMarks = signal<Mark[]>([])
let activeRequest: AbortController | null = null

effect(() => {
    activeRequest?.abort()
    activeRequest = null
    controlMarks.value = []
    if (!switches.showControl.value || !positionInfo.value) return
    const controller = new AbortController()
    activeRequest = controller
    const show = async () => {
        const { squares } = await attacks(gameForm(), controller.signal)
        if (activeRequest !== controller) return
        controlMarks.value = Object.entries(squares).map(([square, { attackers }]) => {
            const ahead = attackers.white.length - attackers.black.length
            return {
                square,
                kind: ahead > 0 ? "control-white" : ahead < 0 ? "control-black" : "contested",
            }
        })
    }
    // If the request fails, the squares keep their colours.
    show().catch(() => undefined)
})
