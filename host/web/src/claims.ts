// The host's claims about a move, in words and as PGN commands.

import type { Claim, PlacedPiece, Role } from "./api/types"
import { texts } from "./texts/board"

type Words = Readonly<Record<string, string>>

/** One language of `sentences.json`, which the host and the page share. */
export interface Sentences {
    pieces: Readonly<Record<string, Words>>
    results: Readonly<Record<"before" | "after", Words>>
    words: Words
    sentences: Readonly<Record<string, string | Words>>
}

/** Replaces `{name}` and `{name:form}`. */
const filled = (text: string, valueOf: (name: string, form: string) => string) =>
    text.replace(/\{(\w+):?(\w*)\}/g, (_, name: string, form: string) => valueOf(name, form))

/** Returns a claim in words, without a capital letter or full stop. */
export function claimText(claim: Claim, language: Sentences = texts.claims): string {
    const { pieces, results, words, sentences } = language
    const phrase = (name: string, values: Words) =>
        filled(words[name] ?? "", (value) => values[value] ?? "")
    const nameOf = (form: string, role: Role | null | undefined) => pieces[form]?.[role ?? ""] ?? ""
    const both = (first: string, second: string) => phrase("and", { first, second })
    const placed = (form: string, { piece, square }: PlacedPiece) =>
        phrase("on", { piece: nameOf(form, piece), square })
    const listed = ([first, second]: readonly Role[]) => {
        if (!second) return nameOf("a", first)
        return first === second
            ? nameOf("two", first)
            : both(nameOf("a", first), nameOf("a", second))
    }
    const prize = () => {
        const [lost, won] = [claim.lost ?? [], claim.won ?? []]
        if (lost.join() === "rook" && ["knight", "bishop"].includes(won.join()))
            return words.exchange ?? ""
        if (lost.length < 1 || lost.length > 2 || won.length > 2)
            return phrase("material", { value: String(claim.value) })
        return won.length > 0
            ? phrase("traded", { lost: listed(lost), won: listed(won) })
            : listed(lost)
    }
    const valueOf = (name: string, form: string): string => {
        const { by, behind, targets = [], result } = claim
        const change = claim.change ?? 0
        switch (name) {
            case "piece":
                return nameOf(form, claim.piece)
            case "by":
                return by ? placed(form, by) : ""
            case "behind":
                return behind ? placed(form, behind) : ""
            case "targets":
                return targets.map((target) => placed(form, target)).reduce(both)
            case "attackers":
            case "defenders":
                return String(claim[name]?.length ?? 0)
            case "before":
            case "after":
                return (result && results[name][result[name]]) ?? ""
            case "change":
                return `${change < 0 ? "" : "+"}${change}`
            case "term":
                return (claim.term ?? "").replaceAll("_", " ")
            case "prize":
                return prize()
            default:
                return String(claim[name as keyof Claim] ?? "")
        }
    }
    const sentence = sentences[claim.kind] ?? claim.text
    return filled(
        typeof sentence === "string" ? sentence : (sentence[claim.evidence ?? ""] ?? claim.text),
        valueOf,
    )
}

/** Returns a claim as an English sentence for a PGN. */
export const claimSentence = ({ text }: Claim): string =>
    `${text[0]?.toUpperCase()}${text.slice(1)}.`

/** Commas separate the members of a list, and spaces separate the fields of a command. */
function field(value: unknown): string {
    if (Array.isArray(value)) return value.map(field).join(",")
    if (typeof value === "object" && value !== null)
        return Object.values(value).map(field).join("-")
    return String(value)
        .replaceAll(" ", "_")
        .replace(/[[\]{},]/g, "")
}

/** Returns a claim as a command in a comment: `[%why hangs_piece piece=knight square=c6 …]`. */
export function claimCommand({ kind, text: _, san: __, instead, ...fields }: Claim): string {
    const all = { ...fields, ...(instead && { instead: instead.line }) }
    const words = Object.entries(all).map(([name, value]) => `${name}=${field(value)}`)
    return `[%why ${[kind, ...words].join(" ")}]`
}
