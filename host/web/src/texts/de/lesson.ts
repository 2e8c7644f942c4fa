// Lessons from the mistakes of a game.

import type { Color } from "../../api/types"
import type { Judgement, lesson as english } from "../en/lesson"
import { common } from "./common"

const { colors } = common
const kinds: Record<Judgement, string> = {
    inaccuracy: "eine Ungenauigkeit",
    mistake: "ein Fehler",
    blunder: "ein grober Fehler",
}

export const lesson = {
    learn: (color: Color) => `Aus den Fehlern von ${colors[color]} lernen`,
    step: (at: number, of: number) => `Stellung ${at} von ${of}`,
    question: (move: string, judgement: Judgement | null) =>
        `${move} war ${kinds[judgement ?? "mistake"]}. Finde einen besseren Zug.`,
    checking: "Dein Zug wird geprüft.",
    played: (move: string) => `${move} wurde in der Partie gespielt. Versuche es noch einmal.`,
    wrong: (move: string, judgement: Judgement | null) =>
        judgement
            ? `${move} ist ${kinds[judgement]}. Versuche es noch einmal.`
            : `Die KI hat keine Bewertung für ${move}. Versuche einen anderen Zug.`,
    best: (move: string) => `Richtig: ${move} ist der beste Zug.`,
    good: (move: string, best: string) => `Richtig: ${move} ist gut. Der beste Zug ist ${best}.`,
    solution: (move: string) => `Der beste Zug ist ${move}.`,
    elsewhere: "Das Brett zeigt eine andere Stellung.",
    summary: (found: number, of: number) => `Du hast ${found} von ${of} gefunden.`,
    none: (color: Color) =>
        `Die Auswertung findet keine Ungenauigkeiten, Fehler oder groben Fehler von ${colors[color]}.`,
    goBack: "Zurück zur Stellung",
    show: "Lösung zeigen",
    next: "Weiter",
    finish: "Abschließen",
    again: "Von vorn",
    end: "Beenden",
} satisfies typeof english
