import { expect, it } from "vitest";
import { SendSummary } from "../../../src/cli/send/summary.ts";

const answer = (status: number, body = "") => ({
  status,
  ok: status < 300,
  body,
  headers: {},
  duration: 1,
});
const own = (duplicate: boolean) =>
  answer(200, JSON.stringify({ received: true, id: "evt_1", duplicate }));

/** A summary of answers, of which some more were dropped or got no answer. */
function of(
  answers: readonly ReturnType<typeof answer>[],
  { dropped = 0, unanswered = 0, total = 9 } = {},
) {
  const summary = new SendSummary(total);
  for (const answer of answers) summary.add(answer as never);
  summary.dropped = dropped;
  summary.unanswered = unanswered;
  return summary;
}

it.each([
  [of([own(false), own(false)]), "2 sent, 2 new"],
  [of([own(false), own(true)]), "2 sent, 1 new, 1 duplicate"],
  [of([own(true), own(true)]), "2 sent, 0 new, 2 duplicates"],
  [of([answer(200), own(false)]), "2 sent, 2 answered 2xx"],
  [of([answer(401), own(false)]), "2 sent, 1 new, 1 not answered 2xx"],
  [of([answer(401)]), "1 sent, 0 answered 2xx, 1 not answered 2xx"],
  [of([{ ...own(true), ok: false }]), "1 sent, 0 answered 2xx, 1 not answered 2xx"],
  [of([], { unanswered: 1, dropped: 2 }), "0 sent, 0 answered 2xx, 1 without an answer, 2 dropped"],
])("the line counts what was new only if every answer says so (%#)", (summary, line) => {
  expect(summary.line).toBe(line);
});

it("progress says how many were refused only if some were", () => {
  expect(of([own(false), own(true)]).progress).toBe("2 of 9 sent");
  expect(of([own(false), answer(500)]).progress).toBe("2 of 9 sent, 1 answered 2xx");
});

it("what is left was neither answered 2xx nor dropped", () => {
  expect(of([own(false), answer(500)], { dropped: 3, unanswered: 1 }).left).toBe(5);
});

it("a run failed if one was refused or not answered", () => {
  expect(of([own(false)], { dropped: 1 }).failed).toBe(false);
  expect(of([own(false), answer(500)]).failed).toBe(true);
  expect(of([own(false)], { unanswered: 1 }).failed).toBe(true);
});

it("its record has the same counts", () => {
  const { fields } = of([own(false), own(true), own(true), answer(500)]);
  expect(fields).toEqual({ total: 9, sent: 4, ok: 3, new: 1, duplicates: 2 });
});
