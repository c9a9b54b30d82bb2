/** A signature header's value for display, truncated to a length that still allows comparing two. */
export function shownDigest(value: string): string {
  return value.length > 200 ? `${value.slice(0, 200)}… (${value.length} characters)` : value;
}
