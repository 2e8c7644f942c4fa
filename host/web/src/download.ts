/** Offers a PGN text for download as a file. */
export function download(name: string, pgn: string): void {
    const url = URL.createObjectURL(new Blob([pgn], { type: "application/x-chess-pgn" }))
    Object.assign(document.createElement("a"), {
        href: url,
        download: `${name.replace(/[^\w.-]+/g, "_")}.pgn`,
    }).click()
    URL.revokeObjectURL(url)
}
