import { expect, it, vi } from "vitest";
import { sampleEvent } from "../../src/entries/testing.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { findEntries } from "../../src/inspector/entries/find-entries.ts";
import { keep, numberedEntry } from "../inbox/entries.ts";
import { openInspector, until, untilCounts } from "./open.ts";

it("a search finds errors, fields, codes, numbers, states, reasons in words, kinds and headers", async () => {
  const handler = (event: { kind: string }) => {
    if (event.kind === "payment.received") throw new Error("ledger says no");
  };
  const { api, deliver, receiver } = await openInspector({ handler, attempts: 1 });
  const timestamp = new Date().toISOString();
  await deliver({ ...sampleEvent("contact.created"), timestamp, data: { id: "a" } });
  await deliver("payment.received");
  const envelope = sampleEvent("property.created");
  await deliver({ ...envelope, data: { ...envelope.data, surface: "a value" } });
  await untilCounts(receiver, { dead: 2, handled: 1 });
  const find = async (text: string) =>
    (await api(`/api/entries?text=${text}`)).json.rows.map(({ id }: { id: string }) => id);
  for (const [text, ids] of [
    ["LEDGER%20says%20no", ["e2"]],
    ["data.surface:%20expected", ["e3"]],
    ["invalid_data", ["e3"]],
    ["%231", ["e1"]],
    ["dead", ["e3", "e2"]],
    ["every%20attempt", ["e2"]],
    ["contact.created", ["e1"]],
    ["application/json", ["e3", "e2", "e1"]],
    ["nothing%20has%20this", []],
  ] as const)
    expect([text, await find(text)]).toEqual([text, ids]);
  expect(await find("3")).toContain("e3"); // ids may have the digit too
});

it("a search finds refused deliveries by their cause in words and by their status", async () => {
  const { api, deliver } = await openInspector();
  await deliver("lead.created", "another secret that is wrong");
  await until(async () => expect((await api("/api/refusals")).json).toHaveLength(1));
  for (const text of ["401", "does%20not%20match", "unauthorized", "post%20/webhooks"])
    expect((await api(`/api/refusals?text=${text}`)).json, text).toHaveLength(1);
  expect((await api("/api/refusals?text=zebra")).json).toEqual([]);
});

it("a search reads fewer entries at a time while they take long, and more while they do not", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const inner = memoryInbox();
    for (let number = 1; number <= 5000; number++) await keep(inner, numberedEntry(number, number));
    const read = async (fixed: number, each: number) => {
      const windows: number[] = [];
      const list: typeof inner.list = (filter) => {
        const size = (filter.before ?? 0) - (filter.after ?? 0) - 1;
        windows.push(size);
        vi.advanceTimersByTime(fixed + each * size);
        return inner.list({ ...filter, limit: 0 });
      };
      const { next } = await findEntries(
        { ...inner, list },
        { text: "x" },
        { before: 5001, limit: 10 },
      );
      return { windows, next };
    };
    const slow = await read(0, 1);
    expect(slow.windows.slice(0, 6)).toEqual([250, 125, 63, 32, 20, 20]);
    expect(slow.next).toBeGreaterThan(1); // it stopped after a second, and says where to go on
    const quick = await read(1, 0);
    expect(quick.windows.slice(0, 4)).toEqual([250, 500, 1000, 2000]);
    expect(quick.next).toBeNull();
    const remote = await read(50, 0.001);
    expect(remote.windows.slice(2, 4).every((size) => size >= 250)).toBe(true);
    expect(remote.next).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it("a filter that is wrong is answered with what was expected and what came", async () => {
  const { api } = await openInspector();
  const { status, json } = await api("/api/entries?state=bogus");
  expect(status).toBe(400);
  expect(json.error.message).toBe(
    'expected state to be one of waiting, failing, running, handled, dead, received, refused, got "bogus"',
  );
});
