// The conditions of the schema's partial indexes, letter for letter, so that SQLite uses them.

/** What can be claimed. */
export const WAITING = "state IN ('pending', 'running') AND held_back = 0";

export const ORDERED = "order_key IS NOT NULL AND state IN ('pending', 'running', 'dead')";

export const WAITS = "waits IS NOT NULL AND state IN ('pending', 'running')";

/** What an earlier entry of its order key holds back. */
export const HELD_BACK = "held_back = 1";
