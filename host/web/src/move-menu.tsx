// A move's menu: glyphs, comment, and actions on the line. It opens on a right click, a long press,
// the menu key, or the button above the moves.

import { signal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { call } from "./api"
import type { Game } from "./api"
import { pgnFrom } from "./export"
import { annotate, currentId, deleteFrom, makeMainLine, startFen, tree } from "./game"
import { isEditingFacts } from "./game-facts"
import { hasGlyph, nameOf, palette, Sign, toggled } from "./glyphs"
import { Icon } from "./icon"
import { moveLabel } from "./move-label"
import { addStep } from "./steps"
import { texts } from "./texts/board"
import { isMain, nodeOf, pathTo, rootId } from "./tree"

/** The move whose menu is open, and where. */
const opened = signal<{ id: number; x: number; y: number } | null>(null)
const close = () => (opened.value = null)

function openAt(id: number, element: Element): void {
    const { left, bottom } = element.getBoundingClientRect()
    opened.value = { id, x: left, y: bottom }
}

const longPressMs = 500

/**
 * Listens for requests to open the menu of a move in a list. Returns a function that stops
 * listening.
 */
export function listenForMenu(list: HTMLElement): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined
    const open = ({ target }: Event) => {
        const move = (target as Element).closest<HTMLElement>("[data-node]")
        if (move) openAt(Number(move.dataset.node), move)
        return move !== null
    }
    const onMenu = (event: Event) => open(event) && event.preventDefault()
    // Some phones send no menu event.
    const onTouch = (event: Event) => {
        cancel()
        timer = setTimeout(() => open(event), longPressMs)
    }
    const cancel = () => clearTimeout(timer)
    const listeners = [
        ["contextmenu", onMenu],
        ["touchstart", onTouch],
        ["touchmove", cancel],
        ["touchend", cancel],
        ["touchcancel", cancel],
    ] as const
    for (const [name, act] of listeners) list.addEventListener(name, act, { passive: false })
    return () => {
        cancel()
        for (const [name, act] of listeners) list.removeEventListener(name, act)
    }
}

const titleOf = (id: number) =>
    id === rootId ? texts.game.editGame : texts.game.editMove(moveLabel(id))

/** The menu button of the current move. */
export function MoveMenuButton() {
    const label = titleOf(currentId.value)
    return (
        <button
            type="button"
            class="icon"
            aria-label={label}
            title={label}
            aria-haspopup="dialog"
            onClick={(event) => openAt(currentId.peek(), event.currentTarget)}
            data-testid="move-menu-button"
        >
            <Icon path="M5 12h.01M12 12h.01M19 12h.01" />
        </button>
    )
}

function Palette({ id, nags }: { id: number; nags: readonly number[] }) {
    return (
        <div class="palette-of-glyphs" role="group" aria-label={texts.game.glyph}>
            {palette.map((group, index) => (
                <div key={index}>
                    {group.map((nag) => (
                        <button
                            key={nag}
                            type="button"
                            aria-pressed={hasGlyph(nags, nag)}
                            aria-label={nameOf(nag)}
                            title={nameOf(nag)}
                            onClick={() => annotate(id, { nags: toggled(nags, nag) })}
                        >
                            <Sign nag={nag} />
                        </button>
                    ))}
                </div>
            ))}
        </div>
    )
}

function CommentField({ id, comment }: { id: number; comment: string }) {
    return (
        <label class="field">
            <span class="label">{texts.game.comment}</span>
            <textarea
                rows={2}
                dir="auto"
                value={comment}
                onChange={(event) => annotate(id, { comment: event.currentTarget.value.trim() })}
            />
        </label>
    )
}

/** Copies the moves from this one on, with their starting position. */
async function copyFrom(id: number): Promise<void> {
    const before = pathTo(tree.peek(), id).slice(1, -1)
    const moves = before.map((at) => nodeOf(tree.peek(), at).uci)
    const { game } = await call<{ game: Game }>("/v1/validate", {
        game: { fen: startFen.peek(), moves },
    })
    await navigator.clipboard.writeText(pgnFrom(id, game.fen))
}

function CopyItem({ id }: { id: number }) {
    const [isCopied, setCopied] = useState<boolean | null>(null)
    const copy = () =>
        void copyFrom(id).then(
            () => setCopied(true),
            () => setCopied(false),
        )
    return (
        <button type="button" onClick={copy}>
            <span aria-live="polite">
                {isCopied === null
                    ? texts.game.copyFrom
                    : isCopied
                      ? texts.ais.copied
                      : texts.ais.notCopied}
            </span>
        </button>
    )
}

function remove(id: number): void {
    const label = moveLabel(id)
    close()
    addStep(texts.page.deleted(label), deleteFrom(id))
}

function Items({ id }: { id: number }) {
    const promote = () => {
        makeMainLine(id)
        close()
    }
    const editFacts = () => {
        isEditingFacts.value = true
        close()
    }
    return (
        <div class="move-menu-items">
            {id !== rootId && (
                <>
                    <button type="button" onClick={promote} disabled={isMain(tree.value, id)}>
                        {texts.game.makeMainLine}
                    </button>
                    <CopyItem key={id} id={id} />
                    <button type="button" onClick={() => remove(id)}>
                        {texts.game.deleteFrom}
                    </button>
                </>
            )}
            <button type="button" onClick={editFacts}>
                {texts.game.editFacts}
            </button>
        </div>
    )
}

/** Keeps the menu on the screen. On a phone it is at the bottom. */
function place(dialog: HTMLDialogElement, x: number, y: number): void {
    const { offsetWidth: width, offsetHeight: height } = dialog
    const [right, bottom] = [innerWidth - width - 8, innerHeight - height - 8]
    dialog.style.left = `${Math.max(8, Math.min(x, right))}px`
    dialog.style.top = `${Math.max(8, Math.min(y + 4, bottom))}px`
}

function OpenMenu({ id, x, y }: { id: number; x: number; y: number }) {
    const dialog = useRef<HTMLDialogElement>(null)
    useLayoutEffect(() => {
        const element = dialog.current
        if (!element) return
        element.showModal()
        place(element, x, y)
    }, [x, y])
    const { nags = [], comment = "" } = nodeOf(tree.value, id)
    return (
        <dialog
            ref={dialog}
            class="move-menu"
            aria-label={titleOf(id)}
            onClose={close}
            onPointerDown={({ target, currentTarget }) =>
                target === currentTarget && currentTarget.close()
            }
            data-testid="move-menu"
        >
            <strong>{id === rootId ? texts.page.start : moveLabel(id)}</strong>
            {id !== rootId && <Palette id={id} nags={nags} />}
            <CommentField key={id} id={id} comment={comment} />
            <Items id={id} />
        </dialog>
    )
}

/** The open menu. It closes when its move disappears. */
export function MoveMenu() {
    const now = opened.value
    const isGone = now !== null && !tree.value.has(now.id)
    useEffect(() => {
        if (isGone) close()
    }, [isGone])
    return now && !isGone ? <OpenMenu key={now.id} {...now} /> : null
}
