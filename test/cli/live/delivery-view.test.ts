import { Chalk } from "chalk";
import { expect, it } from "vitest";
import { attemptLines } from "../../../src/cli/live/attempt-view.ts";
import { deliveryLines } from "../../../src/cli/live/delivery-view.ts";
import { columnsOf } from "../../../src/cli/wrap-text.ts";
import type { AttemptObservation, DeliveryObservation } from "../../../src/receiver/observation.ts";
import { accepted, attempt, delivery, ID, ran } from "./observations.ts";

const color = new Chalk({ level: 0 });
const WIDE = { color, columns: undefined };

/** Lines without the time of day, which depends on the machine. */
function withoutTime(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/^\d\d:\d\d:\d\d/, "tt:tt:tt"));
}

const FAILED = ran({
  error: "Cannot read properties of undefined (reading 'name')",
  failure: { name: "TypeError", at: "handlers/finances.ts:14:22", stack: null },
});

/** What is shown of each kind of outcome, in one session. */
function session(columns: number | undefined): readonly string[] {
  const told = { reported: new Set<string>() };
  const style = { color, columns };
  const tried = (parts: Partial<AttemptObservation>, detail: "whole" | "again" = "whole") =>
    attemptLines(attempt(parts), { now: 0, detail }, style);
  const came = (outcome: DeliveryObservation["outcome"], target = "/") =>
    deliveryLines(delivery({ outcome, target }), told, style);
  const unsigned = { type: "unauthorized", reason: "signature_missing" } as const;
  const misfit = { field: "data.surface", message: "expected number, got string" };
  const pending = { state: "failing", records: [FAILED], runAt: 800 } as const;
  return withoutTime([
    ...tried({ seq: 12, kind: "payment.received" }),
    ...tried(pending),
    ...tried({ ...pending, attempt: 2, runAt: 3000 }, "again"),
    ...came(unsigned),
    ...came(unsigned),
    ...came(accepted({ duplicate: true })),
    ...came(accepted({ reason: "invalid_data", problems: [misfit], seq: 14 })),
    ...came({ type: "refused", reason: "wrong_path" }, "/hooks"),
    ...tried({ state: "received", records: [], reason: "no_handler" }),
    ...tried({ state: "dead", records: [FAILED], reason: "attempts_exhausted" }),
  ]);
}

it.each([80, 120])(
  "the live view fits %i columns, with one line per delivery and its reason beneath",
  async (columns) => {
    const lines = session(columns);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    const snapshot = `snapshots/live-${columns}-columns.txt`;
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(snapshot);
  },
);

it("the live view cuts and wraps nothing if it is piped", async () => {
  const lines = session(undefined);
  for (const line of lines) if (line.startsWith("tt")) expect(line).not.toContain("…");
  expect(lines[0]).toContain(ID);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("snapshots/live-piped.txt");
});

it("a dead letter whose handlers never ran shows its event", () => {
  const parts = { seq: 7, kind: null, records: [], reason: "invalid_timestamp" } as const;
  const dead = attempt({ ...parts, state: "dead" });
  const text = attemptLines(dead, { now: 0, detail: "whole" }, WIDE).join("\n");
  expect(text).toMatch(/#7 .*dead .*evt_1_.*\n +.* \(invalid_timestamp\); not run\n.*retry 7$/);
});

it("a kind that takes two columns a character is cut, so that its row fits", () => {
  const wide = attempt({ kind: "日本語".repeat(30) });
  const [line = ""] = attemptLines(wide, { now: 0, detail: "whole" }, { color, columns: 80 });
  expect(columnsOf(line)).toBeLessThanOrEqual(80);
  expect(line).toContain("handled");
});

it.each([
  ["paused", "again once it is resumed"],
  ["target_away", "again once its target answers"],
  ["tx_busy", "again in 10 min"],
])("what waits as %s runs %s", (reason, text) => {
  const waiting = attempt({ state: "waiting", reason, runAt: 600_000 });
  expect(attemptLines(waiting, { now: 0, detail: "whole" }, WIDE)[0]).toContain(text);
});

it("a search that took too long is named each time, and what to do about it once", () => {
  const told = new Set<string>();
  const outcome = { type: "unauthorized", reason: "signature_mismatch" } as const;
  const refused = () =>
    deliveryLines(delivery({ outcome }), { reported: told, diagnosis: "took_too_long" }, WIDE)
      .at(-1)
      ?.trim();
  expect(refused()).toBe(
    "not searched: took too long; run `hookporter verify` to find out why one fails",
  );
  expect(refused()).toBe("not searched: took too long");
});
