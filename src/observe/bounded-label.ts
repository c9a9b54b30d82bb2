/** What stands for all values beyond the limit. */
export const OTHER = "other";
const LONGEST = 120; // the longest value of a label, in characters

/**
 * Limits how many values a label has, since Prometheus keeps a time series for each; further ones
 * become `other`.
 */
export function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    const short = value.slice(0, LONGEST);
    if (!known.has(short) && known.size >= most) return OTHER;
    known.add(short);
    return short;
  };
}
