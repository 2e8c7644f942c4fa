// The analysis settings, behind a gear icon: the AIs, the limit, and tools for developers.

import { aiName, ais } from "../ais"
import { chosen, lastReply, toggle } from "../analysis"
import { CopyCurl } from "../curl"
import { LimitField, StateDot } from "../fields"
import { plies } from "../game"
import { compareGame, comparisonError } from "../game-comparison"
import { gear, Icon } from "../icon"
import { typeMove } from "../moves"
import { AiOptions } from "../option-fields"
import { optionsOf } from "../options"
import { switches } from "../switches"
import { texts } from "../texts/board"

const { analysisLimit: limit } = switches

/** The options of the chosen AIs. Options of several AIs are folded into one section. */
function ChosenOptions() {
    const ids = [...chosen.value]
    const forms = ids.map((id) => <AiOptions key={id} id={id} />)
    if (forms.length < 2) return <>{forms}</>
    const areIgnored = ids.some((id) => Object.keys(optionsOf(id)).length > 0)
    return (
        <>
            <details class="technical">
                <summary>{texts.analysis.options}</summary>
                {forms}
            </details>
            {areIgnored && <p class="hint">{texts.analysis.optionsIgnored}</p>}
        </>
    )
}

function Analysts() {
    return (
        <fieldset class="choices">
            <legend>{texts.analysis.analyseWith}</legend>
            {ais.value.map((ai) => (
                <label key={ai.id} class="choice">
                    <input
                        type="checkbox"
                        checked={chosen.value.has(ai.id)}
                        onChange={() => toggle(ai.id)}
                    />
                    <span>{aiName(ai.id)}</span>
                    <StateDot state={ai.state} />
                </label>
            ))}
        </fieldset>
    )
}

/** Adds a line for each chosen AI to the graph of the game. */
function GameComparison() {
    if (chosen.value.size < 2 || plies.value.length === 0) return null
    return (
        <>
            <div class="buttons">
                <button
                    type="button"
                    onClick={() => void compareGame([...chosen.value], limit.value)}
                >
                    {texts.analysis.compareGame}
                </button>
            </div>
            {comparisonError.value && <p class="error-text">{comparisonError.value}</p>}
        </>
    )
}

function ForDevelopers() {
    return (
        <details class="technical">
            <summary>{texts.analysis.developers}</summary>
            <div class="buttons">
                <button type="button" class="link" onClick={typeMove}>
                    {texts.game.typeMove}
                </button>
                <CopyCurl answer={lastReply.value} />
            </div>
        </details>
    )
}

export function AnalysisSettings() {
    const { analysisOpen } = switches
    return (
        <details
            class="analysis-settings"
            data-testid="analysis-settings"
            open={analysisOpen.value}
            onToggle={(event) => (analysisOpen.value = event.currentTarget.open)}
        >
            <summary
                class="icon"
                aria-label={texts.analysis.settings}
                title={texts.analysis.settings}
            >
                <Icon path={gear} />
            </summary>
            <div class="technical-body">
                <Analysts />
                {chosen.value.size === 0 && <p class="hint">{texts.analysis.select}</p>}
                <ChosenOptions />
                <LimitField
                    of={[...chosen.value]}
                    value={limit.value}
                    change={(value) => (limit.value = value)}
                    untilStopped
                />
                <GameComparison />
                <ForDevelopers />
            </div>
        </details>
    )
}
