import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { progressLine, startProgress } from "../../../src/cli/send/progress.ts";
import { SendSummary } from "../../../src/cli/send/summary.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const terminal = (columns?: number) => ({ stderr: { columns } as never });

function start(steps: number, isTerminal = true) {
  const status = vi.fn((_line: string | undefined) => isTerminal);
  const context = { output: { status }, io: terminal(80) } as never;
  return { progress: startProgress(steps, context), status };
}

it.each([
  [0, "────────────────────────────────────────", "0 %  0 of 700"],
  [417, "████████████████████████────────────────", "59 %  417 of 700"],
  [700, "████████████████████████████████████████", "100 %  700 of 700"],
])("after %i of 700 steps the bar is as long as their share", (done, bar, text) => {
  expect(progressLine(done, 700, terminal(80))).toBe(`${bar} ${text}`);
});

it.each([
  [undefined, 57],
  [0, 57],
  [30, 29],
  [22, 21],
  [21, 15],
])("in %s columns the line takes %i", (columns, length) => {
  const line = progressLine(50, 100, terminal(columns), columns ? "" : "!");
  expect(line).toHaveLength(length);
});

it("is drawn at most ten times a second, and removed at the end", () => {
  const { progress, status } = start(20);
  expect([progress.shown, status.mock.calls.length]).toEqual([true, 1]);
  const advanceAfter = (ms: number) => {
    vi.advanceTimersByTime(ms);
    progress.advance();
    return status.mock.calls.length;
  };
  expect([advanceAfter(99), advanceAfter(1)]).toEqual([1, 2]);
  expect(status.mock.lastCall?.[0]).toMatch(/10 % {2}2 of 20$/);
  expect(advanceAfter(99)).toBe(2);
  progress.end();
  expect(status.mock.lastCall).toEqual([undefined]);
});

it.each([
  [19, true],
  [20, false],
])("is not shown for a short run, or to no terminal (%i steps)", (steps, isTerminal) => {
  const { progress, status } = start(steps, isTerminal);
  expect(progress.shown).toBe(false);
  const drawn = status.mock.calls.length;
  vi.advanceTimersByTime(1000);
  progress.advance();
  expect(status).toHaveBeenCalledTimes(drawn);
});

const answer = (status: number, body = "") => ({ status, ok: status < 300, body });
const own = (duplicate: boolean) =>
  answer(200, JSON.stringify({ received: true, id: "evt_1", duplicate }));

/** A summary of answers, of which some more were dropped or got no answer. */
function of(answers: readonly object[], { dropped = 0, unanswered = 0 } = {}) {
  const summary = Object.assign(new SendSummary(9), { dropped, unanswered });
  for (const answer of answers) summary.add(answer as never);
  return summary;
}

it.each([
  [of([own(false), own(false)]), "2 sent, 2 new", false],
  [of([own(false), own(true)]), "2 sent, 1 new, 1 duplicate", false],
  [of([own(true), own(true)]), "2 sent, 0 new, 2 duplicates", false],
  [of([answer(200), own(false)]), "2 sent, 2 answered 2xx", false],
  [of([own(false)], { dropped: 1 }), "1 sent, 1 new, 1 dropped", false],
  [of([answer(401), own(false)]), "2 sent, 1 new, 1 not answered 2xx", true],
  [of([answer(401)]), "1 sent, 0 answered 2xx, 1 not answered 2xx", true],
  [of([{ ...own(true), ok: false }]), "1 sent, 0 answered 2xx, 1 not answered 2xx", true],
  [of([], { unanswered: 1 }), "0 sent, 0 answered 2xx, 1 without an answer", true],
])("the line counts what was new only if every answer says so (%#)", (summary, line, failed) => {
  expect([summary.line, summary.failed]).toEqual([line, failed]);
});

it("so far it says how many were refused only if some were, and what is left", () => {
  expect(of([own(false), own(true)]).progress).toBe("2 of 9 sent");
  const refused = of([own(false), answer(500)], { dropped: 3, unanswered: 1 });
  expect([refused.progress, refused.left]).toEqual(["2 of 9 sent, 1 answered 2xx", 5]);
  expect(of([own(false), own(true), own(true), answer(500)]).fields).toEqual({
    total: 9,
    sent: 4,
    ok: 3,
    new: 1,
    duplicates: 2,
  });
});
