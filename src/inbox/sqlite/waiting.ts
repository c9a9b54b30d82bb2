/** The condition of the index of what can be claimed, letter for letter, so that SQLite uses it. */
export const WAITING = "state IN ('pending', 'running') AND held_back = 0";
