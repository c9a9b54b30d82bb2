/**
 * ISO 8601 in UTC, seconds required, 0 to 9 digits of fraction, `Z` or `+00:00`.
 * The description says only "ISO 8601 UTC timestamp" (section "Body envelope"), so finer clocks than ours are let in.
 */
const UTC_TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:Z|\+00:00)$/;

/**
 * The instant a timestamp names, in whole milliseconds since 1970 (finer digits are cut), or `undefined` when it is
 * not a strict UTC timestamp. The result must print back to what came in, since `Date` rolls 30 February over.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = UTC_TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const milliseconds = (match[2] ?? "").slice(0, 3).padEnd(3, "0");
  const normal = `${match[1]}.${milliseconds}Z`;
  const instant = Date.parse(normal);
  if (Number.isNaN(instant) || new Date(instant).toISOString() !== normal) return undefined;
  return instant;
}

/** An instant as the service writes it: ISO 8601, UTC, milliseconds. */
export function formatTimestamp(instant: number): string {
  return new Date(instant).toISOString();
}
