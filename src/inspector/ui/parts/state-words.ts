/** The words for entries' states, as in the terminal. An entry that nothing handles was received, which is no failure. */
export const STATE_WORDS = {
  done: "handled",
  unhandled: "received",
  pending: "waiting",
  running: "running",
  dead: "dead",
} as const;
