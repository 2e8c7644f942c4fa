// Button icons.

export const gear =
    "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM10.3 3h3.4l.5 2.6 1.8 1 2.5-.8 1.7 3-2 1.7v2l2 1.7-1.7 3-2.5-.8-1.8 1-.5 2.6h-3.4l-.5-2.6-1.8-1-2.5.8-1.7-3 2-1.7v-2l-2-1.7 1.7-3 2.5.8 1.8-1z"

/** An icon of 24 by 24 units for a button with an accessible name. */
export const Icon = ({ path }: { path: string }) => (
    <svg class="icon-picture" viewBox="0 0 24 24" aria-hidden="true">
        <path d={path} />
    </svg>
)
