/** The most deliveries per press, as the API allows in one request. */
export const MOST_DELIVERIES = 200;

/** Deliveries per request: after each one there is progress, and one can stop. */
const PER_STEP = 10;

/** The maximum number of rounds, each of which sends this many deliveries. */
export function mostRounds(perRound: number): number {
  return Math.floor(MOST_DELIVERIES / perRound);
}

/** How many rounds each request sends. */
export function stepsOf(rounds: number, perRound: number): readonly number[] {
  const step = Math.max(1, Math.floor(PER_STEP / perRound));
  return Array.from({ length: Math.ceil(rounds / step) }, (_, at) => Math.min(step, rounds - at * step));
}

/** What was sent, and what became of it, such as "3 deliveries sent: 2 accepted, 1 duplicate." */
export function sentText(
  sent: readonly { readonly word: string | null; readonly status: number }[],
  isStopped: boolean,
): string {
  const counts = new Map<string, number>();
  for (const { word, status } of sent) {
    const name = word ?? `answered ${status}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const number = sent.length === 1 ? "1 delivery" : `${sent.length} deliveries`;
  const became = [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
  return `${isStopped ? "Stopped: " : ""}${number} sent${became === "" ? "" : `: ${became}`}.`;
}
