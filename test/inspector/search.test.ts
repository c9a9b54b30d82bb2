import { expect, it, vi } from "vitest";
import { sampleEvent } from "../../src/entries/testing.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { findEntries } from "../../src/inspector/entries/find-entries.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { keep, numberedEntry } from "../inbox/entries.ts";
import { openInspector } from "./open.ts";

const WAIT = { timeout: 10_000, interval: 10 };

it.each([
  ["an error of a handler", "LEDGER%20says%20no", ["e2"]],
  ["a field that does not fit, as it is shown", "data.surface:%20expected", ["e3"]],
  ["a code", "invalid_data", ["e3"]],
  ["a number sign", "%231", ["e1"]],
  ["a number, also in other texts", "3", ["e3"]],
  ["a state", "dead", ["e3", "e2"]],
  ["a reason in words", "every%20attempt", ["e2"]],
  ["a kind", "contact.created", ["e1"]],
  ["a header", "application/json", ["e3", "e2", "e1"]],
  ["nothing", "nothing%20has%20this", []],
] as const)("a search finds %s", async (_, text, ids) => {
  const handler = (event: { kind: string }) => {
    if (event.kind === "payment.received") throw new Error("ledger says no");
  };
  const { api, deliver, receiver } = await openInspector({ handler, attempts: 1 });
  await deliver({
    ...sampleEvent("contact.created"),
    timestamp: new Date().toISOString(),
    data: { id: "a" },
  });
  await deliver("payment.received");
  const envelope = sampleEvent("property.created");
  await deliver({ ...envelope, data: { ...envelope.data, surface: "a value" } });
  await vi.waitFor(
    async () => expect(await inboxOf(receiver).counts()).toMatchObject({ dead: 2, handled: 1 }),
    WAIT,
  );
  const { rows } = (await api(`/api/entries?text=${text}`)).json;
  const found = rows.map(({ id }: { id: string }) => id);
  if (text === "3")
    expect(found).toContain("e3"); // ids may have the digit too
  else expect(found).toEqual(ids);
});

it("a search finds refused deliveries by their cause in words and by their status", async () => {
  const { api, deliver } = await openInspector();
  await deliver("lead.created", "another secret that is wrong");
  await vi.waitFor(async () => expect((await api("/api/refusals")).json).toHaveLength(1), WAIT);
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
