// Editing of the current move: glyph, comment, promotion and deletion of its line.

import { annotate, currentNode, deleteFrom, promote, tree } from "./game"
import { moveGlyphs } from "./format"
import { moveLabel } from "./moves"
import { addStep } from "./steps"
import { isMain, rootId } from "./tree"

const remove = (id: number) => {
    const label = moveLabel(id)
    addStep(`${label} deleted`, deleteFrom(id))
}

export function EditLine() {
    const node = currentNode.value
    const { id, nags = [], comment = "" } = node
    const toggle = (nag: number) => {
        // A move has one glyph; those of positions stay.
        const others = nags.filter((known) => known > 6)
        annotate(id, { nags: nags.includes(nag) ? others : [nag, ...others] })
    }
    return (
        <details class="edit-line" data-testid="edit-line">
            <summary>{id === rootId ? "Edit the game" : `Edit ${moveLabel(id)}`}</summary>
            <div class="technical-body">
                {id !== rootId && (
                    <div class="buttons" role="group" aria-label="Glyph">
                        {moveGlyphs.map(({ nag, text }) => (
                            <button key={nag} type="button" aria-pressed={nags.includes(nag)} onClick={() => toggle(nag)}>
                                {text}
                            </button>
                        ))}
                    </div>
                )}
                <label class="field">
                    <span class="label">Comment</span>
                    <textarea rows={2} value={comment} onChange={(event) => annotate(id, { comment: event.currentTarget.value.trim() })} />
                </label>
                {id !== rootId && (
                    <div class="buttons">
                        <button type="button" onClick={() => promote(id)} disabled={isMain(tree.value, id)}>
                            Promote variation
                        </button>
                        <button type="button" onClick={() => remove(id)}>
                            Delete from here
                        </button>
                    </div>
                )}
            </div>
        </details>
    )
}
