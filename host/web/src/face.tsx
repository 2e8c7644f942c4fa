// Faces of opponents: a rook that grows up with the levels.

import { levels } from "./levels"

const faces = 9

interface FaceProps {
    /** The index of the server's level. The more levels, the finer the steps between faces. */
    level?: number
    /** A piece instead of a face. */
    shape?: string
}

/** Returns the sprite name of a level's face. */
export function faceOf(level: number): string {
    const last = Math.max(1, levels.value.length - 1)
    return `face-${Math.round((level / last) * (faces - 1))}`
}

export const Face = ({ level, shape }: FaceProps) => (
    <svg class="face" viewBox="0 0 40 40" aria-hidden="true">
        {level !== undefined && <use href={`#${faceOf(level)}`} />}
        {shape && <use href={`#shape-${shape}`} />}
    </svg>
)
