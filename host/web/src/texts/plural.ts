// Singular and plural.

/** Returns a number with its noun: `1 game`, `2 games`. */
export const count = (number: number, one: string, several: string): string =>
    `${number} ${number === 1 ? one : several}`
