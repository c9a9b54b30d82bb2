// The conditions of the schema's partial indexes, letter for letter, so that SQLite uses them.

/** What has not ended. */
export const OPEN = "(state = 'waiting' OR state = 'running' OR state = 'failing')";

/** What can be claimed. */
export const CLAIMABLE = `${OPEN} AND held_back = 0`;

export const ORDERED = "order_key IS NOT NULL AND state <> 'handled' AND state <> 'received'";

export const WAITS = `waits IS NOT NULL AND ${OPEN}`;

/** What an earlier entry of its order key holds back. */
export const HELD_BACK = "held_back = 1";
