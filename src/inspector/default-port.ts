/** The inspector's default port; if it is taken, a free one is used. */
export const DEFAULT_INSPECTOR_PORT = 4401;
