// Rollouts: an AI that may replace another.

const pawns = (value: number) => (value > 0 ? `+${value}` : String(value).replace("-", "−"))

export const rollout = {
    title: "Rollout",
    mayReplace: (candidate: string, ai: string) => `${candidate} may replace ${ai}`,
    shares: (shadow: string, canary: string) =>
        `${shadow} of requests are copied, ${canary} of clients get the candidate’s answers`,
    requests: "Requests",
    copies: (asked: number, dropped: number) => `${asked} copies sent, ${dropped} dropped`,
    agreed: (share: string) => `same move in ${share}`,
    difference: (from: number | null, to: number | null, share: string) =>
        from === null
            ? `below ${pawns(to ?? 0)}: ${share}`
            : to === null
              ? `from ${pawns(from)}: ${share}`
              : `${pawns(from)} to ${pawns(to)}: ${share}`,
    noArena: "Strength is not tested: this server has no arena.",
    undecided: "not decided yet",
    accepted: { not_weaker: "not weaker", weaker: "weaker" },
    against: "Against promotion:",
    ready: (ai: string) => `Ready for \`rookery rollout promote ${ai}\`.`,
}
