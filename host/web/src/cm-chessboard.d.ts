// Types for the part of cm-chessboard that the page uses. cm-chessboard has none.

declare module "cm-chessboard/src/Chessboard.js" {
    export const COLOR: { white: "w"; black: "b" }
    export const INPUT_EVENT_TYPE: {
        moveInputStarted: "moveInputStarted"
        validateMoveInput: "validateMoveInput"
        moveInputCanceled: "moveInputCanceled"
        moveInputFinished: "moveInputFinished"
    }
    export interface MoveInputEvent {
        type: string
        squareFrom: string
        squareTo: string
        piece: string | null
    }
    export interface MarkerType {
        class: string
        slice: string
        position?: "above"
    }
    interface VisualMoveInput {
        moveInputState: string
        onPointerUp(this: VisualMoveInput, event: Event): void
        onContextMenu(this: VisualMoveInput, event: Event): void
    }
    export class Chessboard {
        view: { visualMoveInput: VisualMoveInput }
        constructor(context: HTMLElement, props: object)
        setPosition(placement: string, animated?: boolean): Promise<void>
        setOrientation(color: "w" | "b", animated?: boolean): Promise<void>
        getOrientation(): "w" | "b"
        getPiece(square: string): string | null
        enableMoveInput(handler: (event: MoveInputEvent) => boolean, color?: "w" | "b"): void
        disableMoveInput(): void
        cancelMoveInput(): void
        isMoveInputEnabled(): boolean
        getExtension<T>(extension: new (...args: never[]) => T): T
        addMarker(type: MarkerType, square: string): void
        removeMarkers(type?: MarkerType, square?: string): void
        addArrow(type: { class: string }, from: string, to: string): void
        removeArrows(): void
        showPromotionDialog(square: string, color: "w" | "b", chosen: (result: { type: string; piece?: string }) => void): void
        isPromotionDialogShown(): boolean
        destroy(): void
    }
}

declare module "cm-chessboard/src/extensions/markers/Markers.js" {
    export class Markers {
        batchUpdate: boolean
        onRedrawBoard(): void
    }
}

declare module "cm-chessboard/src/extensions/arrows/Arrows.js" {
    export class Arrows {}
}

declare module "cm-chessboard/src/extensions/promotion-dialog/PromotionDialog.js" {
    export class PromotionDialog {}
}

declare module "cm-chessboard/src/extensions/accessibility/Accessibility.js" {
    export class Accessibility {
        components: { getCurrentSquare?: () => string }[]
    }
}
