import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { type Learned, learn } from "../../src/cli/types/shape.ts";
import { writeShapes } from "../../src/cli/types/shape-file.ts";
import type { ReceiverOptions } from "../../src/entries/index.ts";
import { createReceiver, type Drift } from "../../src/entries/index.ts";
import { watchDrift } from "../../src/entries/metrics.ts";
import { openReceiver } from "./open.ts";
import { deliveryOf, freshEnvelope, keptLog, SECRET, until } from "./sample.ts";

/** A shape file learned from payments like this one. */
function shapeFile(data: object): string {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-drift-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const learned: Learned = new Map();
  for (let count = 0; count < 3; count++) learn(learned, "payment.received", data, count);
  const file = join(folder, "schemas.shape.json");
  writeFileSync(file, writeShapes(learned));
  return file;
}

async function comparing(file: string, options: Partial<ReceiverOptions> = {}) {
  const { receiver, lines } = await openReceiver({ drift: watchDrift(file), ...options });
  const told: Drift[] = [];
  receiver.onDrift((drift) => told.push(drift));
  let handled = 0;
  receiver.on("*", () => void handled++);
  const receive = async (data: object, event = "payment.received") => {
    const outcome = await receiver.accept(deliveryOf(freshEnvelope({ event, data })));
    if (outcome.type !== "accepted") throw new Error(`it was ${outcome.type}`);
    if (outcome.reason === undefined) await until(() => expect(handled).toBe(outcome.seq));
    return outcome;
  };
  return { told, lines, receive };
}

it("a receiver tells once, with an example, that events began to differ, and handles them all the same", async () => {
  const { told, lines, receive } = await comparing(shapeFile({ id: "pay_1001", amount: "12.50" }));
  await receive({ id: "pay_1002", amount: "7.00" });
  expect(told).toEqual([]);
  await receive({ id: "pay_1003", amount: 7, note: "private-words" });
  await receive({ id: "pay_1004", amount: 8, note: "private-words" });
  expect(told).toMatchObject([
    { kind: "payment.received", path: "data.amount", what: "type changed", seq: 2 },
    { path: "data.note", what: "new field", expected: "no such field", got: "string", seq: 2 },
  ]);
  await receive({ id: "pay_1005" });
  expect(told.slice(2)).toMatchObject([{ path: "data.amount", what: "field gone", seq: 4 }]);
  const log = JSON.stringify(lines);
  expect(log.match(/began to differ/g)).toHaveLength(3);
  expect(log).not.toContain("private-words");
});

it("events that do not fit their schema are compared too, although they are dead letters", async () => {
  const schemas = { "payment.received": z.object({ id: z.string(), amount: z.string() }) };
  const file = shapeFile({ id: "pay_1001", amount: "12.50" });
  const { told, receive } = await comparing(file, { schemas });
  for (const amount of [7, 8, 9])
    expect(await receive({ id: "pay_1002", amount })).toMatchObject({ reason: "invalid_data" });
  expect(told).toMatchObject([{ path: "data.amount", what: "type changed", seq: 1 }]);
});

it("events of kinds that are not in the shape file are not compared", async () => {
  const { told, receive } = await comparing(shapeFile({ id: "pay_1001" }));
  await receive({ other: true }, "lead.created");
  expect(told).toEqual([]);
});

it("a file that is no shape file is refused, with what to do", () => {
  expect(() => watchDrift("/nowhere/schemas.shape.json")).toThrow(
    /expected a shape file at \/nowhere.*hookporter types/,
  );
  const receiver = createReceiver({ secret: SECRET, inbox: "memory:", log: keptLog().log });
  expect(() => receiver.onDrift("x" as never)).toThrow(/onDrift/);
  expect(() => createReceiver({ secret: SECRET, inbox: "memory:", drift: {} as never })).toThrow(
    /watchDrift/,
  );
});
