/** A signature header's value as it is shown: at most so long that two can be compared. */
export function shownDigest(value: string): string {
  return value.length > 200 ? `${value.slice(0, 200)}… (${value.length} characters)` : value;
}
