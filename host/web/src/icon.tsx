// Pictures of buttons.

/** An icon of 24 by 24 units for a button with an accessible name. */
export const Icon = ({ path }: { path: string }) => (
    <svg class="icon-picture" viewBox="0 0 24 24" aria-hidden="true">
        <path d={path} />
    </svg>
)
