/**
 * ISO 8601 in UTC, seconds required, 0 to 9 digits of fraction, `Z` or `+00:00`.
 * The description says only "ISO 8601 UTC timestamp" (section "Body envelope"), so finer clocks than ours are let in.
 */
const UTC_TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:Z|\+00:00)$/;

/** The second that was worked out last: events that arrive together are mostly dated in one. */
let latest = { instant: 0, text: "1970-01-01T00:00:00" };

/**
 * The instant a timestamp names, in whole milliseconds since 1970 (finer digits are cut), or `undefined` when it is
 * not a strict UTC timestamp.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = UTC_TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, second = "", fraction = ""] = match;
  if (second !== latest.text) {
    const instant = Date.parse(`${second}Z`);
    // `Date` rolls 30 February and hour 24 over to another day, which reads otherwise.
    if (Number.isNaN(instant) || secondText(instant) !== second) return undefined;
    latest = { instant, text: second };
  }
  return latest.instant + Number(fraction.slice(0, 3).padEnd(3, "0"));
}

/** An instant as the service writes it: ISO 8601, UTC, milliseconds. */
export function formatTimestamp(instant: number): string {
  const second = Math.floor(instant / 1000) * 1000;
  if (latest.instant !== second) latest = { instant: second, text: secondText(second) };
  return `${latest.text}.${String(instant - second).padStart(3, "0")}Z`;
}

function secondText(instant: number): string {
  return new Date(instant).toISOString().slice(0, -".000Z".length);
}
