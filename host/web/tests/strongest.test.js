// Which AI reviews and analyses.

import assert from "node:assert/strict"
import { scenario, until, withServer } from "./browser.js"
import { unfoldReviewSettings } from "./review.js"

const levels = `
[level]
casual = { name = "Level 2", elo = 1150, ai = "basic1", limit = { depth = 1 } }
strongest = { name = "Strongest", elo = 2000, ai = "thorough", limit = { depth = 3 } }
club = { name = "Level 4", elo = 1650, ai = "quick" }
`
withServer({ levels })

const path = "/#moves=e2e4 e7e5"
const engineIs = (tab, name) =>
    tab.locator(".engine-name").getByText(name, { exact: true }).waitFor()
async function reportsWith(tab, id) {
    await unfoldReviewSettings(tab)
    const ai = tab.getByTestId("tool-report").getByLabel("AI", { exact: true })
    await until(async () => (await ai.inputValue()) === id, `${id} reports`)
}

scenario(
    "the strongest AI reviews and analyses unless the user chose another",
    { path },
    async (page, tab) => {
        await page.plays(2)
        await page.open("Report")
        await reportsWith(tab, "thorough")
        await page.open("Analyse")
        const settings = tab.getByTestId("analysis-settings")
        await engineIs(tab, "Basic1 (thorough)")
        assert.ok(await settings.getByRole("checkbox", { name: /Basic1 \(thorough\)/ }).isChecked())
        await settings.getByRole("checkbox", { name: /Basic1 \(quick\)/ }).check()
        await settings.getByRole("checkbox", { name: /Basic1 \(thorough\)/ }).uncheck()
        await page.open("Report")
        await unfoldReviewSettings(tab)
        await tab
            .getByTestId("tool-report")
            .getByLabel("AI", { exact: true })
            .selectOption("basic1")
        const other = await tab.context().newPage()
        await tab.close()
        await other.goto(tab.url())
        await other.getByTestId("moves").getByRole("button", { name: "e5" }).waitFor()
        await other.getByRole("button", { name: "Analyse", exact: true }).first().click()
        await engineIs(other, "Basic1 (quick)")
        await other.getByLabel("More about this game").click()
        await other.getByRole("button", { name: "Review", exact: true }).click()
        await reportsWith(other, "basic1")
    },
)

scenario(
    "the strongest AI replaces a choice that the server no longer has",
    {
        path,
        prepare: (tab) =>
            tab.addInitScript(
                () =>
                    localStorage.setItem("analysts", "gone") ||
                    localStorage.setItem("report-by", "gone"),
            ),
    },
    async (page, tab) => {
        await page.plays(2)
        await page.open("Report")
        await reportsWith(tab, "thorough")
        await page.open("Analyse")
        await engineIs(tab, "Basic1 (thorough)")
    },
)

/** Makes the AI `thorough` unavailable. The page keeps polling, even while it closes. */
const failThorough = (tab) =>
    tab.route("**/v1/ais", async (route) => {
        try {
            const response = await route.fetch()
            const ais = await response.json()
            await route.fulfill({
                response,
                json: ais.map((ai) =>
                    ai.id === "thorough" ? { ...ai, state: "quarantined" } : ai,
                ),
            })
        } catch (error) {
            if (!tab.isClosed()) throw error
        }
    })

scenario(
    "an AI that keeps failing is not the strongest",
    { path, prepare: failThorough },
    async (page, tab) => {
        await page.plays(2)
        await page.open("Report")
        await reportsWith(tab, "quick")
        await tab.unroute("**/v1/ais")
    },
)
