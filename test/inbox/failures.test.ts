import { expect, it } from "vitest";
import { withoutParticulars } from "../../src/inbox/failures.ts";

it.each([
  [`no "lead 5" in 'the list' or \`there\``, "no … in … or …"],
  ['an "open quote\nand "another"', 'an "open quote\nand …'],
  ["don't stop at 3 of 12", "don't stop at # of #"],
  ["order ord_8f3a-1 of user 17 failed", "order # of user # failed"],
  ["the target answered 503 to 9 requests", "the target answered 503 to # requests"],
  ["exited with code 137, status 200", "exited with code 137, status 200"],
  ["connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED #.#.#.#:5432"],
])("%j is compared as %j", (error, compared) => {
  expect(withoutParticulars(error)).toBe(compared);
});
