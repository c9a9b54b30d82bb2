/**
 * The median of numbers; the mean of the middle two if their count is even; NaN if there are none.
 */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const low = sorted[(sorted.length - 1) >> 1];
  const high = sorted[sorted.length >> 1];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** The spread of a measurement's rounds, as a share of their median: the noise of this run. */
export function spread(numbers: readonly number[]): number {
  return (Math.max(...numbers) - Math.min(...numbers)) / median(numbers);
}

/** A number with three significant digits. */
export function threeDigits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US").replaceAll(",", " ");
  return value.toPrecision(3);
}
