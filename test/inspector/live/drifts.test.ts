import { expect, it } from "vitest";
import { driftFrom } from "../../../src/cli/types/drift.ts";
import { learn } from "../../../src/cli/types/shape.ts";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { Drifts } from "../../../src/inspector/live/drifts.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { openInspector, until } from "../open.ts";

/** What is seen in payments like this one. */
function driftOf(data: object) {
  const learned = new Map();
  for (let count = 0; count < 3; count++) learn(learned, "payment.received", data, count);
  return driftFrom(learned);
}

it("how events began to differ is listed newest first, with the entry that is the example, without values", async () => {
  const drift = driftOf({ id: "pay_1001", amount: "12.50" });
  const { api, deliver, receiver } = await openInspector({ handler: () => {}, drift });
  const payment = (data: object) => deliver({ ...sampleEvent("payment.received"), data });
  expect((await api("/api/drifts")).json).toEqual([]);
  await payment({ id: "pay_1", amount: "7.00" });
  await payment({ id: "pay_2", amount: 7 });
  await until(async () => expect((await api("/api/drifts")).json).toHaveLength(1));
  await payment({ id: "pay_3", amount: 8, note: "private-words" });
  await until(async () => expect((await inboxOf(receiver).counts()).handled).toBe(3));
  const { json, text } = await api("/api/drifts");
  const amount = { seq: 2, path: "data.amount", what: "type changed", got: "number" };
  expect(json).toMatchObject([
    { seq: 3, kind: "payment.received", path: "data.note", what: "new field", got: "string" },
    { ...amount, kind: "payment.received", expected: "string (decimal)", at: expect.any(Number) },
  ]);
  expect(text).not.toContain("private-words");
  expect((await api("/api/entries/1")).json.drifts).toEqual([]);
  expect((await api("/api/entries/2")).json.drifts).toMatchObject([amount]);
});

it("pages are told through the live feed that events began to differ, also those that open later", async () => {
  const drift = driftOf({ id: "pay_1001" });
  const { deliver, inspector, token } = await openInspector({ handler: () => {}, drift });
  const told = async (count: number) => {
    const aborter = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(new URL("/api/live?kind=lead.created", inspector.loopbackUrl), {
      headers,
      signal: aborter.signal,
    });
    if (count === 1)
      await deliver({ ...sampleEvent("payment.received"), data: { id: "pay_1", more: 1 } });
    let text = "";
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString();
      if (text.includes("event: drift\n")) break;
    }
    aborter.abort();
    return text;
  };
  expect(await told(1)).toContain('event: drift\ndata: {"drifts":1}');
  expect(await told(0)).toContain('event: drift\ndata: {"drifts":1}');
});

it("only the last 200 differences are kept", () => {
  const drifts = new Drifts();
  const difference = {
    kind: "a.b",
    what: "new field",
    expected: "no such field",
    got: "string",
  } as const;
  for (let seq = 1; seq <= 201; seq++)
    drifts.note({ ...difference, path: `data.x${seq}`, seq, eventId: "e" }, 5);
  expect(drifts.notes).toHaveLength(200);
  expect(drifts.notes[0]).toEqual({ ...difference, path: "data.x201", seq: 201, at: 5 });
  expect(drifts.of(1)).toEqual([]);
});
