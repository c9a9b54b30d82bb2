import { oneRead, type Transfer, type WholeEntry } from "../../transfer/transfer.ts";

/**
 * Writes entries in parts of some megabytes. Returns the numbers of those that the new inbox does
 * not take.
 */
export async function writeFitting(
  to: Transfer,
  whole: readonly WholeEntry[],
): Promise<readonly number[]> {
  const refused: number[] = [];
  for (const part of parts(whole)) {
    for (const { entry } of await writePart(to, part)) refused.push(entry.seq);
  }
  return refused;
}

/**
 * Writes entries, and returns those that the new inbox does not take, as a damaged page can hold
 * anything. Of an entry with such attempts, only these are left out.
 */
async function writePart(
  to: Transfer,
  part: readonly WholeEntry[],
): Promise<readonly WholeEntry[]> {
  try {
    await to.write(part);
    return [];
  } catch (thrown) {
    const [entry] = part;
    if (entry === undefined || !to.isFaultOfRow(thrown)) throw thrown;
    if (part.length === 1)
      return entry.runs.length === 0 ? part : writePart(to, [{ ...entry, runs: [] }]);
    const half = part.length >> 1;
    return [
      ...(await writePart(to, part.slice(0, half))),
      ...(await writePart(to, part.slice(half))),
    ];
  }
}

/** Entries in parts of some megabytes. */
function* parts(whole: readonly WholeEntry[]): Generator<readonly WholeEntry[]> {
  for (let rest = whole; rest.length > 0; ) {
    const sizes = rest.map(({ entry, delivery }) => ({
      seq: entry.seq,
      length: delivery?.body.byteLength ?? 0,
    }));
    const count = oneRead(sizes).length;
    yield rest.slice(0, count);
    rest = rest.slice(count);
  }
}
