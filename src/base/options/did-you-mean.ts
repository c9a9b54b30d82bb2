/** The most letters that may be missing, too many or wrong in a misspelt name. */
const MAX_DISTANCE = 2;

/**
 * The known name that was most likely meant; `undefined` if none is close. Names that differ in
 * case only are the closest. In a short name fewer letters may be wrong, or it would be close to
 * any other short one.
 */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const most = Math.min(MAX_DISTANCE, Math.floor(name.length / 3));
  let closest: string | undefined;
  let least = most + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > most) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [closest, least] = [candidate, distance];
  }
  return closest;
}

/**
 * The fewest letters to insert, remove, replace or swap with the next to make one text the other.
 */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const letter = from[row - 1];
      const other = to[column - 1];
      const swapped = letter === to[column - 2] && from[row - 2] === other;
      const ways = [
        (previous[column - 1] ?? 0) + (letter === other ? 0 : 1),
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        ...(swapped ? [(before[column - 2] ?? 0) + 1] : []),
      ];
      current.push(Math.min(...ways));
    }
    [before, previous] = [previous, current];
  }
  return previous[to.length] ?? 0;
}
