import { join } from "node:path";
import { expect, it } from "vitest";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import type { EntryRow } from "../../../src/inspector/api.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { openInspector, until, untilCounts } from "../open.ts";

it("rows have why, resource and duration, whatever the body's size", async () => {
  const handler = async (event: { kind: string }) => {
    if (event.kind === "payment.overdue") throw new TypeError("ledger says no\nin a second line");
  };
  const { api, deliver, receiver } = await openInspector({ handler, attempts: 2 });
  const event = (kind: "payment.received", data: object) => ({ ...sampleEvent(kind), data });
  await deliver(event("payment.received", { id: "pay_1", tenant: { id: 7 } }));
  await deliver({ ...event("payment.received", { id: "pay_2" }), event: "payment.overdue" });
  await deliver(event("payment.received", { id: "pay_3", text: "x".repeat(200_000) }));
  await deliver(event("payment.received", { text: "x".repeat(200_000), id: "pay_4" }));
  const property = sampleEvent("property.created");
  await deliver({ ...property, data: { ...property.data, surface: "a value" } });
  await deliver(Buffer.from("not JSON"));
  await untilCounts(receiver, { handled: 3, dead: 3 });
  const rows: readonly EntryRow[] = (await api("/api/entries")).json.rows;
  expect(
    rows.map(({ seq, why, resource, duration }) => [seq, why, resource, duration !== null]),
  ).toEqual([
    [6, "the body is not JSON", null, false],
    [5, "data.surface: expected number, got string", property.data.id, false],
    [4, null, null, true], // its id is further back than a row looks
    [3, null, "pay_3", true],
    [2, "ledger says no", "pay_2", true],
    [1, null, "pay_1", true],
  ]);
  const [chosen] = (await api("/api/entries?resource=data.tenant.id&text=%231")).json.rows;
  expect(chosen).toMatchObject({ seq: 1, resource: "7" });
  expect((await api("/api/entries?resource=data..id")).json.error.message).toMatch(
    /expected resource to be a path/,
  );
  expect((await api("/api/entries/2")).json).toMatchObject({
    why: "ledger says no",
    resource: "pay_2",
  });
});

it.each([
  ["in memory", memoryInbox],
  ["in a file", () => sqliteInbox(join(tempFolder(), "inbox.db"))],
])("a signed delivery with an empty body is shown like any other, %s", async (_, makeInbox) => {
  const { api, deliver } = await openInspector({ inbox: makeInbox() });
  await deliver(Buffer.alloc(0));
  const { status, json } = await api("/api/entries");
  expect([status, json?.rows]).toMatchObject([200, [{ seq: 1, bytes: 0, resource: null }]]);
  expect((await api("/api/overview")).status).toBe(200);
});

it("a refused delivery's row says why in words", async () => {
  const { api, deliver } = await openInspector();
  await deliver("lead.created", "another secret that is wrong");
  await until(async () => expect((await api("/api/refusals")).json).toHaveLength(1));
  expect((await api("/api/refusals")).json).toMatchObject([
    {
      reason: "signature_mismatch",
      why: expect.stringMatching(/^[a-z][a-z ,']{10,}/),
      duration: expect.any(Number),
    },
  ]);
});
