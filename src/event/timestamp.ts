/**
 * ISO 8601 in UTC, seconds required, 0 to 9 digits of fraction, `Z` or `+00:00`.
 * The description says only "ISO 8601 UTC timestamp" (section "Body envelope"), so finer clocks than ours are let in.
 */
const UTC_TIMESTAMP = /^\d{4}-\d{2}-(\d{2})T(\d{2}):\d{2}:\d{2}(?:\.(\d{1,9}))?(?:Z|\+00:00)$/;

/**
 * The instant a timestamp names, in whole milliseconds since 1970 (finer digits are cut), or `undefined` when it is
 * not a strict UTC timestamp. `Date` rolls 30 February and hour 24 over to another day: these two are looked at apart.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = UTC_TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, day, hour, fraction = ""] = match;
  const instant = Date.parse(`${text.slice(0, "0000-00-00T00:00:00".length)}Z`);
  if (Number.isNaN(instant) || hour === "24" || new Date(instant).getUTCDate() !== Number(day))
    return undefined;
  return fraction === "" ? instant : instant + Number(fraction.slice(0, 3).padEnd(3, "0"));
}

/** The text made last: events that arrive together are often dated alike. */
let latest = { instant: 0, text: new Date(0).toISOString() };

/** An instant as the service writes it: ISO 8601, UTC, milliseconds. */
export function formatTimestamp(instant: number): string {
  if (latest.instant !== instant) latest = { instant, text: new Date(instant).toISOString() };
  return latest.text;
}
