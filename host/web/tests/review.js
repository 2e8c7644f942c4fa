// Helpers for reviews.

/** Makes every review search to a depth, optionally with another AI. */
export const searchReportsTo = (tab, depth, ai) =>
    tab.route("**/v1/report", (route) => {
        const body = { ...route.request().postDataJSON(), limit: { depth }, ...(ai && { ai }) }
        return route.fallback({ postData: JSON.stringify(body) })
    })

/** Waits until the game is reviewed. */
export const isReviewed = (tab) => tab.getByText(/^Reviewed by /).waitFor()

/** Opens the review, which starts automatically, and waits until it has finished. */
export async function review(page, tab, depth = 2, ai = undefined) {
    await searchReportsTo(tab, depth, ai)
    await page.open("Report")
    await isReviewed(tab)
}

/** Unfolds the settings of the review. */
export async function unfoldReviewSettings(tab) {
    const gear = tab.getByRole("button", { name: "Review settings", exact: true })
    if ((await gear.getAttribute("aria-expanded")) === "false") await gear.click()
}
