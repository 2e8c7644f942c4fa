// Stubbed `/v1/report` replies.

const move = (uci, san) => ({
    uci,
    san,
    from: uci.slice(0, 2),
    to: uci.slice(2, 4),
    promotion: null,
    capture: san.includes("x"),
    check: /[+#]/.test(san),
})
const glyphs = { inaccuracy: "?!", mistake: "?", blunder: "??" }

/**
 * Replies to requests for reports on complete games. Other requests reach the server. `found`
 * contains the findings by ply: a judgement, the move in SAN, the scores before and after it, the
 * best line as `[uci, san]` of each move, and claims.
 */
export function stubReport(tab, found = {}) {
    return tab.route("**/v1/report", async (route) => {
        const { game, ai } = route.request().postDataJSON()
        if (game.moves.length < 2) return route.continue()
        const moves = game.moves.map((uci, index) => {
            const {
                judgement = null,
                san = uci,
                score = { cp: 0 },
                after = score,
                best,
                claims = [],
            } = found[index + 1] ?? {}
            return {
                ply: index + 1,
                move: move(uci, san),
                score,
                score_after: after,
                winning_chances: { before: 50, after: 50 },
                loss: judgement ? 12 : 0,
                judgement,
                glyph: judgement && glyphs[judgement],
                best: best
                    ? {
                          move: move(...best[0]),
                          pv: best.map(([uci]) => uci),
                          san: best.map(([, san]) => san),
                      }
                    : null,
                accuracy: 90,
                claims,
            }
        })
        const reply = {
            ai: { id: ai, name: ai, version: "1" },
            game: { moves: game.moves },
            moves,
            accuracy: { white: 90, black: 90 },
        }
        await route.fulfill({ json: reply })
    })
}
