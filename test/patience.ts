/**
 * Milliseconds that a test waits for something that must come, unless it says otherwise: a busy
 * machine may take long.
 */
export const PATIENCE = 20_000;
