const nothing = (): void => {};

/**
 * A logger for contestants that log: it writes nothing, so that the terminal shows only the bench's
 * own lines.
 */
export const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing };
