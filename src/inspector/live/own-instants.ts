/** Returns a function that reserves successive milliseconds, up to the clock's time if they are free, and returns the first. */
export function ownInstants(clock: () => number): (count: number) => Promise<number> {
  let last = 0;
  return async (count) => {
    const first = Math.max(clock() - count + 1, last + 1);
    last = first + count - 1;
    return first;
  };
}
