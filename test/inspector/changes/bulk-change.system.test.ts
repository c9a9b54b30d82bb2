import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { NewEntry } from "../../../src/inbox/append.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { changeInSteps } from "../../../src/inspector/changes/bulk-change.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { numberedEntry, sampleKey } from "../../inbox/entries.ts";
import { pgliteInboxes } from "../../inbox/postgres/pglite.ts";
import { gate } from "../../receiver/sample.ts";
import { openInspector, raw, until, untilCounts } from "../open.ts";

const { makeInbox } = await pgliteInboxes("bulk");

const INBOXES: readonly (readonly [string, () => Inbox])[] = [
  ["the inbox in memory", memoryInbox],
  ["an inbox file", () => sqliteInbox(join(tempFolder(), "inbox.db"))],
  ["PostgreSQL, in PGlite", makeInbox],
];

const ended = (number: number, parts: Partial<NewEntry>) =>
  numberedEntry(number, number, { state: "dead", reason: "too_old", ...parts });

describe.each(INBOXES)("a bulk change of %s", (_, makeInbox) => {
  it("runs twelve received entries again once there is a handler, and no others", async () => {
    const handled: string[] = [];
    const { api, deliver, receiver } = await openInspector({ inbox: makeInbox() });
    for (let count = 0; count < 12; count++) await deliver("payment.received");
    await deliver("lead.created");
    await untilCounts(receiver, { received: 13 });
    receiver.replaceHandlers((registry) => {
      registry.on("*", ({ kind }) => void handled.push(kind));
    });
    const query = "state=received&kind=payment.*";
    const { states, newest, next } = (await api(`/api/tally?${query}`)).json;
    expect([states, newest, next]).toEqual([
      { waiting: 0, failing: 0, running: 0, dead: 0, received: 12 },
      12,
      null,
    ]);
    expect(await change(api, query, { change: "retry", upTo: newest })).toEqual([
      { found: 12 },
      { changed: 12, of: 12 },
      { result: { due: 0, ended: 12, dropped: 0, left: NOTHING } },
    ]);
    await until(() => expect(handled).toHaveLength(12));
    expect(new Set(handled)).toEqual(new Set(["payment.received"]));
    expect(await inboxOf(receiver).counts()).toMatchObject({ received: 1 });
  });

  it("says what became of a retry's entries, if it is asked to", async () => {
    let isMended = false;
    const handler = ({ kind }: { kind: string }) => {
      if (!isMended || kind === "lead.created") throw new Error("no");
    };
    const { api, deliver, receiver } = await openInspector({
      inbox: makeInbox(),
      handler,
      attempts: 1,
    });
    for (const kind of ["payment.received", "lead.created", "payment.received"] as const)
      await deliver(kind);
    await untilCounts(receiver, { dead: 3 });
    isMended = true;
    const lines = await change(api, "state=dead", { change: "retry", follow: true });
    expect(lines.find((line) => "result" in line)).toMatchObject({ result: { ended: 3 } });
    const ends = { handled: 2, failing: 0, dead: 1, waiting: 0, running: 0, received: 0 };
    expect(lines.at(-1)).toEqual({ fates: ends });
  });

  it("takes many entries in steps, oldest first, and reports each step", async () => {
    const inbox = makeInbox();
    const { api, receiver } = await openInspector({ inbox });
    await Promise.all(Array.from({ length: 620 }, (_, at) => inbox.append(ended(at, {}))));
    const lines = await change(api, "state=dead", { change: "drop" });
    expect(lines).toEqual([
      { found: 620 },
      { changed: 250, of: 620 },
      { changed: 500, of: 620 },
      { changed: 620, of: 620 },
      { result: { due: 0, ended: 0, dropped: 620, left: NOTHING } },
    ]);
    expect((await inboxOf(receiver).list({ states: ["dead"], limit: 1 }))[0]?.reason).toBe(
      "dropped",
    );
  });

  it("leaves what is newer than what was counted, what was dropped, and what is another source's", async () => {
    const inbox = makeInbox();
    const { api } = await openInspector({ inbox });
    const foreign = sampleKey({ source: "billing", eventId: "evt_9" });
    await inbox.append(ended(1, {}));
    await inbox.append(ended(2, { reason: "dropped" }));
    await inbox.append(ended(3, { key: foreign }));
    const counted = (await api("/api/tally?state=dead")).json;
    expect(counted).toMatchObject({ states: { dead: 1 }, dropped: 1, foreign: 1, newest: 3 });
    await inbox.append(ended(4, {}));
    const [, , { result }] = await change(api, "state=dead", {
      change: "retry",
      upTo: counted.newest,
    });
    expect(result).toMatchObject({ ended: 1, left: { ...NOTHING, dropped: 1, foreign: 1 } });
    const reasons = async () => (await inbox.list({})).map(({ reason }) => reason).slice(1);
    expect(await reasons()).toEqual(["dropped", "too_old", "too_old"]);
    const again = await change(api, "", { change: "retry", upTo: 2, takeBack: true });
    expect(again.at(-1).result.left).toMatchObject({ dropped: 0 });
    expect((await reasons())[0]).not.toBe("dropped");
    expect((await reasons()).slice(1)).toEqual(["too_old", "too_old"]);
  });

  it("makes failing entries due with a retry, and leaves them alone if only others are selected", async () => {
    let runs = 0;
    const handler = () => {
      runs++;
      throw Object.assign(new Error("no"), { retryAfter: 600_000 });
    };
    const { api, deliver, receiver } = await openInspector({
      inbox: makeInbox(),
      handler,
      attempts: 9,
    });
    await deliver("lead.created");
    const waits = (after: number) =>
      until(async () =>
        expect([runs, (await inboxOf(receiver).counts()).failing]).toEqual([after, 1]),
      );
    await waits(1);
    const ended = await change(api, "state=dead,received", { change: "retry" });
    expect(ended.at(-1).result).toEqual({ due: 0, ended: 0, dropped: 0, left: NOTHING });
    const retried = await change(api, "state=waiting,failing,handled", { change: "retry" });
    expect(retried.at(-1).result).toEqual({ due: 1, ended: 0, dropped: 0, left: NOTHING });
    await waits(2);
  });
});

it("a bulk change leaves a running entry to its run, and says so", async () => {
  const held = gate();
  const { api, deliver, receiver } = await openInspector({ handler: () => held.opened });
  await deliver("lead.created");
  await untilCounts(receiver, { running: 1 });
  const [, { result }] = await change(api, "", { change: "retry" });
  expect(result).toEqual({ due: 0, ended: 0, dropped: 0, left: { ...NOTHING, running: 1 } });
  held.open();
});

it("a bulk change can be narrowed by a text", async () => {
  const inbox = memoryInbox();
  const { api } = await openInspector({ inbox });
  for (const number of [1, 2, 3]) await inbox.append(ended(number, {}));
  expect((await api("/api/tally?text=EVT_2")).json).toMatchObject({ states: { dead: 1 } });
  expect((await change(api, "text=evt_2", { change: "drop" })).at(-1).result).toMatchObject({
    dropped: 1,
  });
  expect((await inbox.list({})).map(({ reason }) => reason)).toEqual([
    "too_old",
    "dropped",
    "too_old",
  ]);
});

it("a bulk change ends with the connection that asked for it", async () => {
  const inbox = memoryInbox();
  const { port, token } = await openInspector({ inbox });
  for (let number = 0; number < 5000; number++) await inbox.append(ended(number, {}));
  const drop = inbox.drop.bind(inbox);
  let steps = 0;
  const stopping = new AbortController();
  inbox.drop = (...given) => {
    if (++steps === 2) stopping.abort();
    return drop(...given);
  };
  const response = await fetch(`http://127.0.0.1:${port}/api/change`, {
    method: "POST",
    body: '{"change":"drop"}',
    signal: stopping.signal,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
  await expect(response.text()).rejects.toThrow();
  const dropped = async () =>
    (await inbox.list({})).filter(({ reason }) => reason === "dropped").length;
  await until(() => expect(steps).toBeGreaterThan(1));
  await until(async () => {
    const before = await dropped();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await dropped()).toBe(before);
  });
  expect(await dropped()).toBeLessThan(5000);
});

it("a retry at a measured pace that is stopped while its entries are found does not begin", async () => {
  const inbox = memoryInbox();
  await inbox.open();
  for (const number of [1, 2, 3]) await inbox.append(ended(number, {}));
  const stopping = new AbortController();
  const bulk = {
    change: "retry",
    filter: {},
    takeBack: false,
    upTo: undefined,
    pace: { rate: 1 },
  } as const;
  const terms = { clock: Date.now, signal: stopping.signal };
  expect(await changeInSteps(inbox, bulk, () => stopping.abort(), terms)).toMatchObject({
    ended: 0,
  });
  expect(await inbox.pauses?.()).toMatchObject({ retries: [] });
  expect(await inbox.counts()).toMatchObject({ dead: 3, waiting: 0 });
  await inbox.close();
});

it("a retry of 150 000 entries at a measured pace ends with its result", async () => {
  const inbox = memoryInbox();
  const { api } = await openInspector({ inbox });
  await inbox.append(ended(1, {}));
  const [entry] = await inbox.list({});
  if (entry === undefined) throw new TypeError("expected an entry");
  inbox.list = async ({ before = 150_001, limit = 1000 }) =>
    Array.from({ length: Math.min(limit, before - 1) }, (_, at) => ({
      ...entry,
      seq: before - 1 - at,
    })).reverse();
  inbox.newRetry = async () => ({ id: 1, pace: async (seqs) => seqs.length });
  const lines = await change(api, "state=dead", { change: "retry", rate: 100_000, follow: true });
  expect(lines.at(-1)).toMatchObject({ result: { ended: 150_000, retry: 1 } });
});

it("a bulk change takes the whole of a text with question marks that are not encoded", async () => {
  const inbox = memoryInbox();
  const { api } = await openInspector({ inbox });
  for (const [at, eventId] of ["a?b?c", "a?b", "a"].entries())
    await inbox.append(ended(at, { key: sampleKey({ eventId }) }));
  const lines = await change(api, "text=a?b?c", { change: "drop" });
  expect(lines.at(-1).result).toMatchObject({ dropped: 1 });
});

it("a bulk change takes the whole of a long text", async () => {
  const inbox = memoryInbox();
  const { api } = await openInspector({ inbox });
  const common = "a".repeat(200);
  for (const [at, end] of ["b", "c"].entries())
    await inbox.append(ended(at, { key: sampleKey({ eventId: common + end }) }));
  const lines = await change(api, `text=${common}b`, { change: "drop" });
  expect(lines.at(-1).result).toMatchObject({ dropped: 1 });
});

it.each([
  ["without a change", "", {}],
  ["with an unknown change", "", { change: "delete" }],
  ["with a change of an earlier version", "", { change: "redrive" }],
  ["with a change of the prototype", "", { change: "toString" }],
  ["with a change that is no string", "", { change: ["drop"] }],
  ["with an unknown state", "state=bogus", { change: "drop" }],
  ["with a time that is no number", "since=yesterday", { change: "drop" }],
  ["with a newest entry that is no number", "", { change: "drop", upTo: "all" }],
  ["with a negative newest entry", "", { change: "drop", upTo: -1 }],
  ["with another flag", "", { change: "retry", takeBack: "yes" }],
])("a bulk change %s is refused, and changes nothing", async (_, query, body) => {
  const inbox = memoryInbox();
  const { api } = await openInspector({ inbox });
  await inbox.append(ended(1, {}));
  const { status, json } = await api(`/api/change?${query}`, body);
  expect([status, json.error.type]).toEqual([400, "invalid_request"]);
  expect(await inbox.list({})).toMatchObject([{ reason: "too_old" }]);
});

it("a retry at a measured pace is under way in the inbox, is shown, and can be paused and resumed", async () => {
  const held = gate();
  const { api, receiver } = await openInspector({ handler: () => held.opened });
  for (const number of [1, 2, 3]) await inboxOf(receiver).append(ended(number, {}));
  const lines = await change(api, "state=dead", { change: "retry", rate: 1 });
  expect(lines.at(-1)).toEqual({
    result: { due: 0, ended: 3, dropped: 0, retry: 1, left: NOTHING },
  });
  expect((await api("/api/pauses")).json).toEqual({
    lines: [expect.stringMatching(/^retry 1 is under way: [23] of 3 left/)],
    scopes: [],
  });
  await api("/api/pause", { scope: "retry", name: "1" });
  expect((await api("/api/pauses")).json).toEqual({
    lines: [expect.stringMatching(/^retry 1 is paused, by .*: [23] of 3 left$/)],
    scopes: [{ scope: "retry", name: "1" }],
  });
  await api("/api/pause", { scope: "kind", name: "lead.*" });
  expect((await api("/api/resume", { scope: "retry", name: "1" })).json).toEqual({ resumed: true });
  expect((await api("/api/pauses")).json).toMatchObject({
    scopes: [{ scope: "kind", name: "lead.*" }],
  });
  expect((await api("/api/pause", { scope: "bogus", name: "" })).status).toBe(400);
  held.open();
});

it("a tally is refused for a bad filter, and a bulk change needs JSON", async () => {
  const { api, port, token } = await openInspector();
  expect((await api("/api/tally?state=bogus")).status).toBe(400);
  expect((await api("/api/tally?before=x")).status).toBe(400);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  expect((await raw(port, "/api/change", { method: "POST", headers, body: "[]" })).status).toBe(
    400,
  );
});

const NOTHING = { running: 0, dropped: 0, foreign: 0, changedMeanwhile: 0 };

/** The lines of a bulk change's answer. */
async function change(
  api: Awaited<ReturnType<typeof openInspector>>["api"],
  query: string,
  body: object,
): Promise<readonly ReturnType<typeof JSON.parse>[]> {
  const { text } = await api(`/api/change?${query}`, body);
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
