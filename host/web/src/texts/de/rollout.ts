// Rollouts: an AI that may replace another.

import type { rollout as english } from "../en/rollout"

const pawns = (value: number) =>
    (value > 0 ? `+${value}` : String(value).replace("-", "−")).replace(".", ",")

const spaced = (share: string) => share.replace("%", " %").replace(".", ",")

export const rollout = {
    title: "Rollout",
    mayReplace: (candidate, ai) => `${candidate} soll ${ai} ersetzen`,
    shares: (shadow, canary) =>
        `${spaced(shadow)} der Anfragen werden kopiert, ${spaced(canary)} der Clients erhalten die Antworten des Kandidaten`,
    requests: "Anfragen",
    copies: (asked, dropped) => `${asked} Kopien gesendet, ${dropped} verworfen`,
    agreed: (share) => `gleicher Zug in ${share}`,
    difference: (from, to, share) =>
        from === null
            ? `unter ${pawns(to ?? 0)}: ${share}`
            : to === null
              ? `ab ${pawns(from)}: ${share}`
              : `${pawns(from)} bis ${pawns(to)}: ${share}`,
    noArena: "Die Stärke wird nicht gemessen: Dieser Server hat keine Arena.",
    undecided: "noch nicht entschieden",
    accepted: { not_weaker: "nicht schwächer", weaker: "schwächer" },
    against: "Gegen die Übernahme spricht:",
    ready: (ai) => `Nichts spricht gegen \`rookery rollout promote ${ai}\`.`,
} satisfies typeof english
