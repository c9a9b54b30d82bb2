/** What stands for all values beyond the limit. */
export const OTHER = "other";

/** The longest value of a label, in characters. */
const LONGEST = 120;

/**
 * Keeps the values of a label few, since Prometheus keeps a time series for each for ever: the returned function gives the
 * value, or `other` if there are too many.
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
