import { expect, it } from "vitest";
import { tooMuchWaiting } from "../../src/inbox/too-much-waiting.ts";

const MIB = 1024 * 1024;

it.each([
  [0, 0, 100 * MIB, false],
  [1, 63 * MIB, MIB, false],
  [1, 63 * MIB, MIB + 1, true],
  [9999, 0, 1, false],
  [10_000, 0, 1, true],
])(
  "while %i writes of %i bytes wait, another of %i is refused: %s",
  (items, bytes, more, isRefused) => {
    const refusal = tooMuchWaiting({ items, bytes }, more);
    expect(refusal?.code).toBe(isRefused ? "inbox_busy" : undefined);
    if (isRefused) expect(refusal?.message).toContain(`but ${items} are waiting already`);
  },
);
