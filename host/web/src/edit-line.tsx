// Editing of the current move: glyph, comment, promotion and deletion of its line.

import { annotate, currentNode, deleteFrom, promote, tree } from "./game"
import { moveGlyphs } from "./format"
import { moveLabel } from "./moves"
import { addStep } from "./steps"
import { texts } from "./texts/board"
import { isMain, rootId } from "./tree"

const remove = (id: number) => {
    const label = moveLabel(id)
    addStep(texts.page.deleted(label), deleteFrom(id))
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
            <summary>
                {id === rootId ? texts.game.editGame : texts.game.editMove(moveLabel(id))}
            </summary>
            <div class="technical-body">
                {id !== rootId && (
                    <div class="buttons" role="group" aria-label={texts.game.glyph}>
                        {moveGlyphs.map(({ nag, text }) => (
                            <button
                                key={nag}
                                type="button"
                                aria-pressed={nags.includes(nag)}
                                onClick={() => toggle(nag)}
                            >
                                {text}
                            </button>
                        ))}
                    </div>
                )}
                <label class="field">
                    <span class="label">{texts.game.comment}</span>
                    <textarea
                        rows={2}
                        value={comment}
                        onChange={(event) =>
                            annotate(id, { comment: event.currentTarget.value.trim() })
                        }
                    />
                </label>
                {id !== rootId && (
                    <div class="buttons">
                        <button
                            type="button"
                            onClick={() => promote(id)}
                            disabled={isMain(tree.value, id)}
                        >
                            {texts.game.promote}
                        </button>
                        <button type="button" onClick={() => remove(id)}>
                            {texts.game.deleteFrom}
                        </button>
                    </div>
                )}
            </div>
        </details>
    )
}
