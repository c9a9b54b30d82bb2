/**
 * ISO 8601 in UTC, seconds required, 0 to 9 digits of fraction, and a zone that is UTC for certain:
 * `Z`, `z`, `+00:00` or `+0000`. The description says only "ISO 8601 UTC timestamp" (section "Body
 * envelope"), so clocks finer than ours are accepted.
 */
const UTC_TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:[Zz]|\+00:?00)$/;

/**
 * Caches the last second parsed, since events that arrive together are mostly from the same one.
 */
let latest = { instant: 0, text: "1970-01-01T00:00:00" };

/**
 * The instant of a strict UTC timestamp in whole milliseconds, finer digits cut; `undefined` for
 * any other text.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = UTC_TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, second = "", fraction = ""] = match;
  if (second !== latest.text) {
    const instant = Date.parse(`${second}Z`);
    // `Date` turns 30 February and hour 24 into another day, whose text differs.
    if (Number.isNaN(instant) || secondText(instant) !== second) return undefined;
    latest = { instant, text: second };
  }
  return latest.instant + Number(fraction.slice(0, 3).padEnd(3, "0"));
}

/** Formats an instant as the service does: ISO 8601, UTC, milliseconds. */
export function formatTimestamp(instant: number): string {
  const second = Math.floor(instant / 1000) * 1000;
  if (latest.instant !== second) latest = { instant: second, text: secondText(second) };
  return `${latest.text}.${String(instant - second).padStart(3, "0")}Z`;
}

function secondText(instant: number): string {
  return new Date(instant).toISOString().slice(0, -".000Z".length);
}
