import { describe, expect, it } from "vitest";
import type { AttemptRecord } from "../../src/entries/index.ts";
import {
  finishedNames,
  finishOf,
  inlineRuns,
  isUneventful,
  splitRuns,
} from "../../src/inbox/inline-runs.ts";
import { AT, settlementOf } from "./entries.ts";

function run(handler: string, parts: Partial<AttemptRecord> = {}): AttemptRecord {
  const none = { error: null, failure: null, note: null };
  return { attempt: 1, handler, startedAt: AT, duration: 2.5, outcome: "ok", ...none, ...parts };
}

const both = { records: [run("a"), run("b")], finishedHandlers: ["a", "b"] };
const settled = (parts: object = {}) => settlementOf({ seq: 1, lease: "l" }, { ...both, ...parts });

describe("a settlement", () => {
  it("is uneventful if its handlers succeeded at once, and there is nothing else to say", () => {
    expect(isUneventful(settled())).toBe(true);
    expect(isUneventful(settled({ waits: undefined, problems: undefined, uncount: false }))).toBe(
      true,
    );
  });

  it.each<[string, object]>([
    ["a reason", { reason: "retried" }],
    ["problems", { problems: [] }],
    ["waits", { waits: [] }],
    ["an attempt that does not count", { uncount: true }],
    ["another state", { state: "dead" }],
    ["a handler that finished before", { finishedHandlers: ["a", "b", "c"] }],
    ["another order", { finishedHandlers: ["b", "a"] }],
    ["a failed run", { records: [run("a"), run("b", { outcome: "error" })] }],
    ["an error", { records: [run("a"), run("b", { error: "no" })] }],
    ["a note", { records: [run("a", { note: "n" }), run("b")] }],
  ])("is not with %s", (_, parts) => {
    expect(isUneventful(settled(parts))).toBe(false);
    expect(finishOf(settled(parts))).toBeUndefined();
  });

  it("is stored with its runs in place of the names of its handlers", () => {
    const finish = finishOf(settled());
    expect(finish).toMatchObject({ seq: 1, lease: "l", runAt: AT, ordered: true });
    expect(finishOf(settled({ unordered: true }))?.ordered).toBe(false);
    expect(finishedNames(finish?.runs)).toEqual(["a", "b"]);
    expect(inlineRuns(finish?.runs)).toEqual(both.records);
  });
});

describe("the runs of an entry that is copied", () => {
  it("are within it if they end a handled one, apart from earlier ones", () => {
    const failed = run("b", { outcome: "error", error: "no" });
    const { finished, others } = splitRuns({ state: "handled", ...both }, [
      failed,
      ...both.records,
    ]);
    expect([inlineRuns(finished), others]).toEqual([both.records, [failed]]);
  });

  it.each(["waiting", "dead"])("are not within a %s one", (state) => {
    const { finished, others } = splitRuns({ state, ...both }, both.records);
    expect([finished, others]).toEqual(['["a","b"]', both.records]);
  });

  it("are not within one of whose handlers some run is missing", () => {
    const { finished, others } = splitRuns({ state: "handled", ...both }, [run("b")]);
    expect([finished, others]).toEqual(['["a","b"]', [run("b")]]);
  });
});

it.each(["{}", "[1]", '[["a",1,2]]', '[["a",1,2,"3"]]', "[[1,1,2,3]]", '[["a",1,2,null]]'])(
  "%s is no list of handlers that have finished",
  (stored) => {
    expect(() => finishedNames(stored)).toThrow(SyntaxError);
    expect(() => inlineRuns(stored)).toThrow("expected finished_handlers to be a list of handlers");
  },
);

it("names and runs may be beside each other", () => {
  const stored = '["a",["b",2,3,4.5]]';
  expect(finishedNames(stored)).toEqual(["a", "b"]);
  expect(inlineRuns(stored)).toEqual([run("b", { attempt: 2, startedAt: 3, duration: 4.5 })]);
});
