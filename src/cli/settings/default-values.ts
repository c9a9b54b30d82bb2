/** What comes before the default of a port, a path or an endpoint in help texts. */
export const UNLESS_RUNNING = "where listen runs in this folder, or";

/** The inbox of a command that names none, in help texts. */
export const DEFAULT_INBOX_HELP = "that of listen here, or the project's";

/** The folder in which `init` creates a project. */
export const DEFAULT_DIRECTORY = "my-receiver";

/** Milliseconds that `check` waits for each answer by default. */
export const CHECK_TIMEOUT = 15_000;

/** Milliseconds that a run of `check` may take by default. */
export const CHECK_MAX_TIME = 300_000;

/** Milliseconds that `check` watches for a late second run by default. */
export const CHECK_SETTLE = 1000;

/** The units of durations in milliseconds, the longest first. */
export const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** Formats milliseconds as help texts show them and flags accept them: `15s`, `7d`, `1500ms`. */
export function shownDuration(ms: number): string {
  const [unit, length] = Object.entries(UNITS).find(
    ([, size]) => ms >= size && ms % size === 0,
  ) ?? ["ms", 1];
  return `${ms / length}${unit}`;
}
