/** The inspector's port if none is asked for; a free one if this one is taken. */
export const DEFAULT_INSPECTOR_PORT = 4401;
