import { Chalk } from "chalk";
import { expect, it } from "vitest";
import { attemptLines } from "../../../src/cli/live/attempt-view.ts";
import { deliveryLines } from "../../../src/cli/live/delivery-view.ts";
import { columnsOf } from "../../../src/cli/wrap-text.ts";
import type { AttemptObservation, DeliveryObservation } from "../../../src/receiver/observation.ts";
import { accepted, attempt, delivery, ID, ran } from "./observations.ts";

const color = new Chalk({ level: 0 });

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
  const outcome = { type: "unauthorized", reason: "signature_mismatch" } as const;
  const searched = () =>
    deliveryLines(delivery({ outcome }), { ...told, diagnosis: "took_too_long" }, style);
  const misfit = { field: "data.surface", message: "expected number, got string" };
  const waits = ["paused", "target_away", "tx_busy"];
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
    ...tried({ state: "dead", records: [], kind: null, reason: "invalid_timestamp" }),
    ...tried({ kind: "日本語".repeat(15) }),
    ...[searched(), searched()].flat(),
    ...waits.flatMap((reason) => tried({ state: "waiting", reason, runAt: 600_000 })),
  ]);
}

it.each([80, 120])(
  "the live view fits %i columns, with one line per delivery and its reason beneath",
  async (columns) => {
    const lines = session(columns);
    expect(Math.max(...lines.map((line) => columnsOf(line)))).toBeLessThanOrEqual(columns);
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
