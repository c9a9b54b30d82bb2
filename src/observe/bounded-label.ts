/** What stands for all values beyond the limit. */
export const OTHER = "other";
const LONGEST = 120; // the longest value of a label, in characters

/** Tells so many values of a label apart, since Prometheus keeps a time series for each; the rest are `other`. */
export function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    const short = value.slice(0, LONGEST);
    if (!known.has(short) && known.size >= most) return OTHER;
    known.add(short);
    return short;
  };
}
