/** What stands for all values beyond the limit. */
export const OTHER = "other";

/** The longest value of a label, in characters. */
const LONGEST = 120;

/**
 * Limits how many values a label has, since Prometheus keeps a time series for each. The returned function returns the value
 * itself, or `other` once there are too many.
 *
 * @param most - how many values are told apart
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
