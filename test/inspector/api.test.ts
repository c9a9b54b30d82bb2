import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { defineHandlers } from "../../src/entries/index.ts";
import { sampleEvent, signedRequest } from "../../src/entries/testing.ts";
import { memoryInbox } from "../../src/inbox/memory.ts";
import { sqliteInbox } from "../../src/inbox/sqlite.ts";
import type { LiveUpdate } from "../../src/inspector/api.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { tempFolder } from "../cli/fake-io.ts";
import { gate } from "../receiver/sample.ts";
import { deadLetter, openInspector, raw, SECRET, until, untilCounts } from "./open.ts";

it("entries are listed newest first, in pages", async () => {
  const { api, deliver } = await openInspector();
  for (let count = 0; count < 5; count++) await deliver("lead.created");
  const first = (await api("/api/entries?limit=2")).json;
  expect(first).toMatchObject({
    rows: [{ id: "e5", seq: 5, kind: "lead.created" }, { seq: 4 }],
    next: 4,
  });
  const second = (await api(`/api/entries?limit=2&before=${first.next}`)).json;
  expect(second.rows.map(({ seq }: { seq: number }) => seq)).toEqual([3, 2]);
  const last = (await api(`/api/entries?limit=2&before=${second.next}`)).json;
  expect(last).toMatchObject({ rows: [{ seq: 1 }], next: null });
});

it("entries can be filtered", async () => {
  const { api, deliver, receiver } = await openInspector();
  for (const kind of ["lead.created", "payment.received", "payment.overdue"] as const)
    await deliver(kind);
  await deliver(Buffer.from("not JSON"));
  await untilCounts(receiver, { received: 3 });
  for (const [query, seqs] of [
    ["state=dead", [4]],
    ["state=dead,received", [4, 3, 2, 1]],
    ["kind=payment.*", [3, 2]],
    ["kind=payment.overdue,lead.created", [3, 1]],
    ["text=PAYMENT_SAMPLE", [3, 2]],
    ["text=nothing-has-this", []],
    ["text=%00&kind=lead.created", []],
    ["kind=payment.*&text=overdue", [3]],
    ["state=refused", []],
    ["since=9999999999999", []],
  ] as const) {
    const { rows } = (await api(`/api/entries?${query}`)).json;
    expect([query, rows.map(({ seq }: { seq: number }) => seq)]).toEqual([query, seqs]);
  }
});

it("an entry whose data does not fit names the fields, and says whether a retry would fail again", async () => {
  const { api, deliver, receiver } = await openInspector();
  const envelope = sampleEvent("property.created");
  await deliver({ ...envelope, data: { ...envelope.data, surface: "a value" } });
  const problems = [{ field: "data.surface", message: "expected number, got string" }];
  const entry = (await api("/api/entries/1")).json;
  expect(entry).toMatchObject({ reason: "invalid_data", problems, stillUnfit: problems });
  expect(JSON.stringify({ ...entry, delivery: null })).toContain(
    "data.surface: expected number, got string",
  );
  expect(JSON.stringify({ ...entry, delivery: null })).not.toContain("a value");
  receiver.replaceHandlers(
    defineHandlers({
      schemas: { "property.created": z.looseObject({}) },
      handlers: { "*": () => {} },
    }),
  );
  expect((await api("/api/entries/1")).json).toMatchObject({ problems, stillUnfit: [] });
  await api("/api/entries/1/retry", {});
  await until(async () =>
    expect((await api("/api/entries/1")).json).toMatchObject({
      state: "handled",
      stillUnfit: null,
    }),
  );
});

it("a handler's failure has its place and its stack", async () => {
  const handler = () => {
    throw new TypeError("no", { cause: new Error("deeper") });
  };
  const { api, deliver } = await openInspector({ handler, attempts: 1 });
  await deliver("lead.created");
  await until(async () => expect((await api("/api/entries/1")).json.state).toBe("dead"));
  const { runs } = (await api("/api/entries/1")).json;
  const failure = {
    name: "TypeError",
    at: expect.stringMatching(/api\.test\.ts:\d+:\d+$/),
    stack: expect.any(String),
  };
  expect(runs).toMatchObject([{ error: "no ← deeper", failure }]);
});

it("a text is found in old entries through many windows, with where to continue", async () => {
  const inbox = sqliteInbox(join(tempFolder(), "inbox.db"));
  const { api } = await openInspector({ inbox });
  const bodyOf = (index: number) => (index % 700 === 3 ? "Needle" : "hay");
  const letters = Array.from({ length: 1600 }, (_, index) => deadLetter(index, bodyOf(index)));
  await Promise.all(letters.map((letter) => inbox.append(letter)));
  const find = async (more = "") => (await api(`/api/entries?text=needle&limit=2${more}`)).json;
  expect(await find()).toMatchObject({ rows: [{ seq: 1404 }, { seq: 704 }], next: 704 });
  expect(await find("&before=704")).toMatchObject({ rows: [{ seq: 4 }], next: null });
});

it("an entry is described completely: its verdict with the digests, its runs, its body as text", async () => {
  const handler = () => {
    throw new Error("the ledger is down");
  };
  const { api, deliver, receiver } = await openInspector({ handler });
  const event = sampleEvent("payment.received");
  await deliver(event);
  await deliver(event);
  await untilCounts(receiver, { dead: 1 });
  const { json } = await api("/api/entries/1");
  const { headers } = signedRequest(event, { secret: SECRET });
  expect(json).toMatchObject({
    seq: 1,
    state: "dead",
    reason: "attempts_exhausted",
    duplicates: 1,
    seenAgain: [expect.any(Number)],
    delivery: {
      method: "POST",
      target: "/webhooks",
      body: { form: "text", text: JSON.stringify(event), cut: false },
    },
    runs: [
      { attempt: 1, handler: "own", outcome: "error", error: "the ledger is down" },
      { attempt: 2, handler: "own", outcome: "error" },
    ],
    explanation: { status: 200, fix: expect.any(String) },
  });
  const steps = Object.fromEntries(
    json.explanation.steps.map((step: { name: string }) => [step.name, step]),
  );
  expect(steps.Signature.result).toBe("passed");
  expect(steps.Signature.details.map(({ value }: { value: string }) => value)).toEqual([
    headers["x-service-signature"],
    headers["x-service-signature"],
    expect.stringMatching(/^\d+ bytes$/),
  ]);
  expect(json.explanation.summary).toBe("All 2 attempts failed. It does not run again by itself.");
});

it.each([
  ["not JSON", Buffer.from("{"), "Envelope", 400],
  ["not UTF-8", Buffer.from([0xff, 0xfe]), "Envelope", 400],
  ["too old", { ...sampleEvent("lead.created"), timestamp: "2020-01-01T00:00:00Z" }, "Time", 400],
  [
    "ahead of the clock",
    { ...sampleEvent("lead.created"), timestamp: "2999-01-01T00:00:00Z" },
    "Time",
    400,
  ],
  ["of data that does not fit", sampleEvent("property.created", { data: { id: 1 } }), "Data", 200],
])("the failed check is named for an entry %s", async (_, content, failed, status) => {
  const { api, deliver } = await openInspector({ handler: () => {} });
  await deliver(content);
  const { explanation } = (await api("/api/entries/1")).json;
  expect(explanation.status).toBe(status);
  const names = explanation.steps.filter(({ result }: { result: string }) => result === "failed");
  expect(names.map(({ name }: { name: string }) => name)).toContain(failed);
  expect(explanation.fix).not.toBeNull();
});

it("a delivery through a channel is explained without an answer or a signature", async () => {
  const { api, receiver } = await openInspector();
  const body = Buffer.from(JSON.stringify(sampleEvent("lead.created")));
  await receiver.acceptFrom({ name: "stream", address: "ws://127.0.0.1:1/events" }, body);
  const { explanation } = (await api("/api/entries/1")).json;
  expect(explanation).toMatchObject({
    status: null,
    steps: [{ name: "Signature", result: "skipped" }, {}, {}, {}, {}],
  });
});

it("the latest 500 refused deliveries are remembered with reason, headers and size, never with their bodies", async () => {
  const { api, deliver, endpoint, receiver } = await openInspector();
  /** They are remembered once the answer is written, so the next may come before. */
  const remembered = (count: number) =>
    until(async () => expect((await api("/api/refusals")).json).toHaveLength(count));
  await deliver("lead.created", "another secret that is wrong");
  await remembered(1);
  await fetch(endpoint, { method: "POST", body: "canary", headers: { "x-tag": "one" } });
  await remembered(2);
  await fetch(endpoint, { method: "PUT" });
  await remembered(3);
  await fetch(`${endpoint}/other`);
  await remembered(4);
  const encoded = {
    "content-encoding": "gzip",
    "x-service-signature": `sha256=${"a1".repeat(32)}`,
  };
  await fetch(endpoint, { method: "POST", body: "x", headers: encoded });
  await remembered(5);
  const { json, text } = await api("/api/refusals");
  expect(text).not.toContain("canary");
  expect(
    json.map(({ reason, status }: { reason: string; status: number }) => [reason, status]),
  ).toEqual([
    ["content_encoding", 415],
    ["wrong_path", 404],
    ["wrong_method", 405],
    ["signature_missing", 401],
    ["signature_mismatch", 401],
  ]);
  const missing = (await api("/api/refusals/r2")).json;
  expect(missing).toMatchObject({
    bytes: 0,
    headers: { "x-tag": "one" },
    explanation: { status: 401 },
  });
  const mismatch = (await api("/api/refusals/r1")).json.explanation.steps.find(
    ({ name }: { name: string }) => name === "Signature",
  );
  expect(mismatch.details[1].value).toMatch(/^sha256=[0-9a-f]{8}… /);
  expect((await api("/api/refusals?state=dead")).json).toEqual([]);
  expect((await api("/api/refusals?text=X-TAG")).json).toHaveLength(1);
  for (let count = 0; count < 510; count++) {
    const head = { method: "POST", target: `/other/${count}`, path: "/webhooks", headers: {} };
    await receiver.receive({ ...head, read: async () => Buffer.from("x") });
  }
  expect((await api("/api/refusals")).json).toHaveLength(500);
  expect((await api("/api/refusals/r1")).status).toBe(404);
  expect(await inboxOf(receiver).list({})).toEqual([]);
});

it("the cause of a wrong signature is explained, with its fix", async () => {
  const { api, endpoint } = await openInspector();
  const { headers, body } = signedRequest(sampleEvent("lead.created"), { secret: SECRET });
  await fetch(endpoint, { method: "POST", headers, body: `${body}\n` });
  await until(async () => expect((await api("/api/refusals")).json).toHaveLength(1));
  const { explanation } = (await api("/api/refusals/r1")).json;
  expect(explanation.summary).toMatch(/^The signed body differs in the line break at its end/);
  expect(explanation.fix).toContain("--data-binary");
});

it("a body is served byte for byte", async () => {
  const { api, deliver } = await openInspector();
  const bytes = Buffer.from([0, 255, 254, 13, 10, 34]);
  await deliver(bytes);
  expect((await api("/api/entries/1/body")).bytes.equals(bytes)).toBe(true);
  expect((await api("/api/entries/1")).json.delivery.body).toMatchObject({
    form: "binary",
    bytes: 6,
  });
});

it("the events of the same resource are found, those of the same family only", async () => {
  const { api, deliver } = await openInspector();
  const about = (kind: "property.created" | "property.updated" | "tenant.updated", id: string) =>
    deliver(sampleEvent(kind, { data: { ...sampleEvent("property.created").data, id } }));
  await about("property.created", "prop_1");
  await about("property.created", "prop_2");
  await about("tenant.updated", "prop_1");
  await about("property.updated", "prop_12");
  await about("property.updated", "prop_1");
  const related = async (seq: number) =>
    (await api(`/api/entries/${seq}/related`)).json.rows.map((row: { seq: number }) => row.seq);
  expect(await related(5)).toEqual([1, 5]);
  expect(await related(4)).toEqual([4]);
});

it("a failing entry is retried now, and dropped for good", async () => {
  let broken = true;
  let runs = 0;
  const handler = () => {
    runs++;
    if (broken) throw Object.assign(new Error("no"), { retryAfter: 600_000 });
  };
  const { api, deliver, receiver } = await openInspector({ handler, attempts: 5 });
  const state = async (seq: number) =>
    (await api(`/api/entries/${seq}`)).json as { state: string; reason: string };
  await deliver("payment.received");
  await until(async () => expect([runs, (await state(1)).state]).toEqual([1, "failing"]));
  expect((await api("/api/entries/1/retry", {})).json).toEqual({ retried: 1 });
  await until(async () => expect([runs, (await state(1)).state]).toEqual([2, "failing"]));
  expect((await api("/api/entries/1/drop", {})).json).toEqual({ dropped: 1 });
  expect(await state(1)).toMatchObject({
    state: "dead",
    reason: "dropped",
    explanation: { summary: expect.stringContaining("dropped") },
  });
  expect((await api("/api/entries/1/drop", {})).status).toBe(409);
  broken = false;
  expect((await api("/api/entries/1/retry", {})).json).toEqual({ retried: 1 });
  await untilCounts(receiver, { handled: 1 });
  for (const action of ["retry", "drop"])
    expect((await api(`/api/entries/1/${action}`, {})).status).toBe(409);
  expect((await api("/api/overview")).json).toMatchObject({ failed: { failing: 0, dead: 0 } });
});

it("deliveries are replayed, retried, triggered and edited, signed with the current secret", async () => {
  let broken = true;
  const handler = () => {
    if (broken) throw new Error("no");
  };
  const { api, deliver, receiver } = await openInspector({ handler, attempts: 1 });
  await deliver("payment.received");
  await untilCounts(receiver, { dead: 1 });
  broken = false;
  expect((await api("/api/entries/1/retry", {})).json).toEqual({ retried: 1 });
  await untilCounts(receiver, { handled: 1 });
  expect((await api("/api/entries/1/retry", {})).status).toBe(409);
  expect((await api("/api/entries/1/replay", { exact: true })).json).toMatchObject({
    status: 200,
    seq: 1,
  });
  expect((await api("/api/entries/1/replay", {})).json).toMatchObject({ status: 200, seq: 2 });
  const data = '{"n": 12345678901234567890, "t": "\\u00e9"}';
  expect((await api("/api/trigger", { kind: "lead.created", data })).json).toMatchObject([
    { kind: "lead.created", status: 200, seq: 3, word: "accepted" },
  ]);
  expect((await api("/api/entries/3/body")).text).toContain(data);
  const body = (await api("/api/entries/3/body")).text.replace("12345678901234567890", "1.50");
  expect((await api("/api/send", { body, restamp: true })).json).toMatchObject({
    status: 200,
    seq: 4,
  });
  expect((await api("/api/send", { body: "not JSON" })).json).toMatchObject({ status: 400 });
  expect((await api("/api/send", { body: "not JSON", restamp: true })).status).toBe(400);
  expect((await api("/api/trigger", { kind: "no.such" })).status).toBe(400);
  expect((await api("/api/trigger", { kind: "lead.created", data: "[]" })).status).toBe(400);
  expect((await api("/api/entries/99/replay", {})).status).toBe(404);
  expect((await api("/api/entries/1/replay", { exact: "yes" })).status).toBe(400);
});

it.each([
  ["a wrong signature", { tamper: "signature" }, [[401, "unauthorized", "signature_mismatch"]]],
  ["a changed body", { tamper: "body" }, [[401, "unauthorized", "signature_mismatch"]]],
  ["no signature", { noSignature: true }, [[401, "unauthorized", "signature_missing"]]],
  ["a stale timestamp", { stale: 8 * 86_400_000 }, [[400, "rejected", "too_old"]]],
  ["a timestamp ahead", { future: 3_600_000 }, [[400, "rejected", "future_timestamp"]]],
  [
    "a duplicate",
    { duplicate: 2 },
    [
      [200, "accepted", null],
      [200, "duplicate", null],
    ],
  ],
] as const)(
  "a sample is triggered with %s, and what became of it is named",
  async (_, fault, expected) => {
    const { api } = await openInspector();
    const { json } = await api("/api/trigger", { kind: "lead.created", ...fault });
    const became = json.map(({ status, word, reason }: Record<string, unknown>) => [
      status,
      word,
      reason,
    ]);
    expect(became).toEqual(expected);
    for (const { seq, refusal } of json)
      expect(
        (await api(seq === null ? `/api/refusals/${refusal}` : `/api/entries/${seq}`)).status,
      ).toBe(200);
  },
);

it("all 12 samples are triggered several times, as events that differ", async () => {
  const { api, receiver } = await openInspector();
  expect((await api("/api/trigger", { all: true, count: 2 })).json).toHaveLength(24);
  const data = { kind: "lead.created", data: '{"id":"mine"}', count: 3 };
  expect((await api("/api/trigger", data)).json).toHaveLength(3);
  expect(await inboxOf(receiver).list({})).toHaveLength(27);
});

it("triggers with the same data at the same time are events that differ", async () => {
  const { api, receiver } = await openInspector({ clock: () => 1_800_000_000_000 });
  const data = { kind: "lead.created", data: '{"id":"mine"}', count: 20 };
  await Promise.all([api("/api/trigger", data), api("/api/trigger", data)]);
  expect(await inboxOf(receiver).list({})).toHaveLength(40);
});

it("a trigger that cannot be sent is refused, and sends nothing", async () => {
  const { api, receiver } = await openInspector();
  const far = Number.MAX_SAFE_INTEGER;
  const lead = [
    { tamper: "all" },
    { tamper: "body", noSignature: true },
    { count: 0 },
    { count: 1.5 },
    { stale: -1 },
    { stale: far },
    { future: far },
  ].map((fields) => ({ kind: "lead.created", ...fields }));
  for (const fields of [...lead, { all: true, count: 100 }, { all: "yes" }, {}])
    expect([fields, (await api("/api/trigger", fields)).status]).toEqual([fields, 400]);
  const { json } = await api("/api/trigger", { kind: "lead.created", data: "[" });
  expect(json.error.message).toBe("expected data to be a JSON object, got text that is not JSON");
  expect(await inboxOf(receiver).list({})).toEqual([]);
});

it("the values of a query are hidden in everything that is shown, saved or copied", async () => {
  const { api, endpoint } = await openInspector();
  const { headers, body } = signedRequest(sampleEvent("lead.created"), { secret: SECRET });
  const post = (path: string) => fetch(new URL(path, endpoint), { method: "POST", headers, body });
  expect((await post("/webhooks?code=hunter2&tenant=7")).status).toBe(200);
  expect((await post("/other?code=hunter2")).status).toBe(404);
  await until(async () => expect((await api("/api/refusals")).json).toHaveLength(1));
  const omitted = "# omitted, since its values may be credentials: '?code=…&tenant=…'";
  for (const [path, shown] of [
    ["entries", "lead.created"],
    ["entries/1", "/webhooks?code=…&tenant=…"],
    ["entries/1/fixture", "/webhooks?code=…&tenant=…"],
    ["entries/1/curl", `'${endpoint.href}'\n${omitted}\n`],
    ["refusals", "wrong_path"],
    ["refusals/r1", '"target":"/other?code=…"'],
  ] as const) {
    const { status, text } = await api(`/api/${path}`);
    expect(status).toBe(200);
    expect(text).toContain(shown);
    expect(text).not.toContain("hunter2");
  }
  expect((await api("/api/refusals?text=hunter2")).json).toEqual([]);
});

it("headers that are not shown are neither copied nor saved, unless that is asked for", async () => {
  const { api, endpoint } = await openInspector();
  const { headers, body } = signedRequest(sampleEvent("lead.created"), { secret: SECRET });
  const secret = { "x-api-key": "CANARY", "X-Amz-Security-Token": "CANARY" };
  await fetch(endpoint, {
    method: "POST",
    body,
    headers: { ...headers, ...secret, "x-tag": "one" },
  });
  const hidden = ["x-api-key", "x-amz-security-token"];
  expect((await api("/api/entries/1")).json.delivery.hidden).toEqual(hidden);
  const curl = (await api("/api/entries/1/curl")).text;
  expect(curl).toContain(`# omitted, since they may be credentials: ${hidden.join(", ")}\n`);
  const fixture = JSON.parse((await api("/api/entries/1/fixture")).text);
  expect(fixture.headers).toMatchObject({
    "x-tag": "one",
    "x-service-signature": expect.any(String),
  });
  for (const path of ["", "/curl", "/fixture"])
    expect((await api(`/api/entries/1${path}`)).text).not.toContain("CANARY");
  for (const path of ["/curl", "/fixture"]) {
    const { text } = await api(`/api/entries/1${path}?credentials=include`);
    expect(text.match(/CANARY/g)).toHaveLength(2);
    expect((await api(`/api/entries/1${path}?credentials=yes`)).status).toBe(400);
  }
});

it("an exact replay and a forward send the query of the delivery, unless the target has one", async () => {
  const { port, got } = await listening((response) => response.end());
  const { api, endpoint, receiver } = await openInspector();
  const seen: string[] = [];
  receiver.observe(
    (observation) => observation.type === "delivery" && seen.push(observation.target),
  );
  const { headers, body } = signedRequest(sampleEvent("lead.created"), { secret: SECRET });
  await fetch(new URL("/webhooks?code=a%2Fb", endpoint), { method: "POST", headers, body });
  const exact = (await api("/api/entries/1/replay", { exact: true })).json;
  expect(exact).toMatchObject({ status: 200, seq: 1 });
  expect((await api("/api/entries/1/replay", {})).json).toMatchObject({ status: 200, seq: 2 });
  expect(seen).toEqual(["/webhooks?code=a%2Fb", "/webhooks?code=a%2Fb", "/webhooks"]);
  const { json } = await api("/api/entries/1/forward", { to: `${port}/in` });
  expect(json.url).not.toContain("code");
  await api("/api/entries/1/forward", { to: `${port}/in?own` });
  expect(got).toEqual(["/in?code=a%2Fb", "/in?own"]);
});

/** A target that answers, and the URLs that it was asked for. */
async function listening(answer: (response: ServerResponse) => unknown) {
  const got: string[] = [];
  const server = createServer((request, response) => {
    got.push(request.url ?? "");
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, got };
}

it("a delivery is forwarded to this machine or to a target of listen, without following redirects", async () => {
  const { port, got } = await listening((response) =>
    response.writeHead(302, { location: "/elsewhere" }).end("moved"),
  );
  const { api, deliver } = await openInspector({ targets: [new URL("http://app.example:81/in")] });
  await deliver("payment.received");
  const forward = (to: string) => api("/api/entries/1/forward", { to });
  const answer = { status: 302, body: "moved", ok: false, seq: null };
  expect((await forward(`${port}/here`)).json).toMatchObject(answer);
  expect(got).toEqual(["/here"]);
  const named = await forward("http://app.example:81/other");
  expect(named.json.error.type).toBe("target_unreachable"); // allowed, but the host is unknown
  expect((await forward("http://app.example:82/in")).status).toBe(400);
});

it("deliveries are counted by minute, duration and kind, and errors are listed", async () => {
  const handler = (event: { kind: string }) => {
    if (event.kind === "lead.created") throw new Error("no");
  };
  const { api, deliver, receiver, endpoint } = await openInspector({ handler, attempts: 1 });
  for (const kind of ["payment.received", "payment.received", "lead.created"] as const)
    await deliver(kind);
  await fetch(endpoint, { method: "POST", body: "x" });
  await untilCounts(receiver, { dead: 1, handled: 2 });
  const { json } = await api("/api/overview");
  const counts = json.minutes.map((minute: { counts: Record<string, number> }) => minute.counts);
  const total = (word: string) =>
    counts.reduce((sum: number, count: Record<string, number>) => sum + (count[word] ?? 0), 0);
  expect([json.minutes.length, total("accepted"), total("unauthorized")]).toEqual([60, 3, 1]);
  expect(json.latency.count).toBe(4);
  expect(json.durations).toMatchObject([
    { kind: "payment.received", count: 2, failed: 0 },
    { kind: "lead.created", count: 1, failed: 1 },
  ]);
  expect(json.failures).toMatchObject([
    { error: "no", failing: 0, dead: 1, kinds: ["lead.created"], like: 3 },
  ]);
});

it("refused deliveries that are alike are one row with a count, of which the latest can be looked at", async () => {
  const { api, endpoint } = await openInspector();
  for (const tag of ["one", "two", "three"])
    await fetch(endpoint, { method: "POST", body: "x", headers: { "x-tag": tag } });
  await fetch(endpoint, { method: "PUT" });
  await until(async () => expect((await api("/api/counts")).json.refused).toBe(4));
  const rows = (await api("/api/refusals")).json;
  expect(rows).toMatchObject([
    { id: "r4", reason: "wrong_method", count: 1 },
    { id: "r1", reason: "signature_missing", count: 3 },
  ]);
  expect((await api("/api/refusals/r1")).json.headers).toMatchObject({ "x-tag": "three" });
});

it("the overview says that signatures match no secret, once three bodies did not", async () => {
  const inbox = memoryInbox();
  await inbox.open();
  const { api } = await openInspector({ inbox });
  expect((await api("/api/overview")).json.mismatched).toEqual([]);
  const at = Date.now();
  await inbox.recordSender?.({
    source: "service",
    days: [],
    mismatches: { count: 1305, bodies: 3, from: at, to: at },
  });
  const [text] = (await api("/api/overview")).json.mismatched;
  expect(text).toMatch(/^1 305 refused since .*, none accepted yet: is the secret the sender's\?$/);
});

it("new and changed rows that match the filter are streamed, and those that no longer match are named", async () => {
  const held = gate();
  const { deliver, port, token, endpoint } = await openInspector({ handler: () => held.opened });
  const all = await follow(port, token, "");
  const pending = await follow(port, token, "?state=waiting,failing,running");
  await deliver("payment.received");
  await deliver("lead.created", "another secret that is wrong");
  await fetch(`${endpoint}/x`);
  await until(() => expect(all.refusals()).toEqual(["r1", "r2"]));
  await until(() => expect(pending.states("e1").at(-1)).toBe("running"));
  held.open();
  await until(() => expect(all.states("e1").at(-1)).toBe("handled"));
  await until(() => expect(pending.gone()).toContain("e1"));
  expect(pending.refusals()).toEqual([]);
});

it("the numbers of failing entries and dead letters are streamed at first and when it changes, whatever the filter, without what was dropped", async () => {
  const { port, token, deliver, api } = await openInspector({ handler: failing, attempts: 1 });
  const filtered = await follow(port, token, "?state=handled");
  await until(() => expect(filtered.failed()).toEqual(["0 0"]));
  await deliver("payment.received");
  await until(() => expect(filtered.failed().at(-1)).toBe("0 1"));
  const later = await follow(port, token, "");
  await until(() => expect(later.failed()).toEqual(["0 1"]));
  await deliver("lead.created");
  await until(() => expect(later.failed()).toEqual(["0 1", "0 2"]));
  expect((await api("/api/status")).json.counts.dead).toBe(2);
  await api("/api/entries/1/drop", {});
  await until(() => expect(later.failed().at(-1)).toBe("0 1"));
  const left = { failed: { failing: 0, dead: 1 }, failures: [{ dead: 1 }] };
  expect((await api("/api/overview")).json).toMatchObject({ counts: { dead: 2 }, ...left });
});

it("the numbers beside a list of what failed alike are those of the list", async () => {
  const { api, deliver, receiver } = await openInspector({ handler: failing, attempts: 1 });
  for (const kind of ["payment.received", "lead.created", "lead.created"] as const)
    await deliver(kind);
  await untilCounts(receiver, { dead: 3 });
  const query = "like=1&kind=lead.*";
  expect((await api(`/api/entries?${query}`)).json.rows).toHaveLength(2);
  expect((await api(`/api/counts?${query}`)).json.states).toMatchObject({ dead: 2 });
  expect((await api("/api/counts?like=1")).json.states).toMatchObject({ dead: 3 });
});

function failing(): never {
  throw new Error("no");
}

it("an entry names the address from which it was sent, until listen starts again", async () => {
  const inbox = memoryInbox();
  const first = await openInspector({ inbox });
  await first.deliver("payment.received");
  await first.deliver("payment.received");
  expect((await first.api("/api/entries/1")).json.sender).toBe("127.0.0.1");
  await first.close();
  const second = await openInspector({ inbox });
  expect((await second.api("/api/entries/1")).json.sender).toBeNull();
});

it("the page is served only from its own files", async () => {
  const { port } = await openInspector();
  const page = await raw(port, "/");
  expect(page.type).toBe("text/html; charset=utf-8");
  expect(page.text).not.toMatch(/https?:|<script(?![^>]* src=)|<style|style=/);
  const links = page.text.matchAll(/(?:src|href)="\.(\/[^"]+)"/g);
  const files = [...links].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) expect((await raw(port, file)).status).toBe(200);
  const outside = ["/assets/../../package.json", "/..%2fpackage.json"];
  for (const file of [...outside, "/assets/", "/main.tsx", "/index.html"])
    expect([file, (await raw(port, file)).status]).toEqual([file, 404]);
  expect((await raw(port, "/", { method: "POST" })).status).toBe(405);
});

it("the page's scripts are sent compressed to clients that accept Brotli, and plain to others", async () => {
  const { port } = await openInspector();
  const { text: page } = await raw(port, "/", { headers: { "accept-encoding": "br" } });
  expect(page).toContain("<!doctype html>");
  const script = /src="\.(\/[^"]+\.js)"/.exec(page)?.[1] ?? "";
  const get = (accept?: string) =>
    raw(port, script, { headers: accept === undefined ? {} : { "accept-encoding": accept } });
  const plain = await get();
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(plain.text).toContain("hookporter");
  for (const accept of ["br", "gzip, deflate, br, zstd", "gzip;q=0.5, BR;q=1.0"]) {
    const sent = await get(accept);
    expect([accept, sent.headers["content-encoding"], sent.type]).toEqual([
      accept,
      "br",
      plain.type,
    ]);
    expect(sent.bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 2);
    expect(brotliDecompressSync(sent.bytes).equals(plain.bytes)).toBe(true);
  }
  for (const accept of ["gzip", "br;q=0", "gzip, br; q=0.000", "brotli"]) {
    const sent = await get(accept);
    expect([accept, sent.headers["content-encoding"]]).toEqual([accept, undefined]);
    expect(sent.bytes.equals(plain.bytes)).toBe(true);
  }
});

it("the page's dependencies are shipped with their licences", () => {
  const notices = join(import.meta.dirname, "../../dist/THIRD-PARTY-NOTICES.txt");
  expect(readFileSync(notices, "utf8")).toContain("\npreact ");
});

/** Follows the live feed; returns the text received so far. */
async function follow(port: number, token: string, query: string) {
  const aborter = new AbortController();
  onTestFinished(() => aborter.abort());
  const response = await fetch(`http://127.0.0.1:${port}/api/live${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: aborter.signal,
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  let text = "";
  const read = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString("utf8");
  };
  read().catch(() => {}); // ended by the test
  await until(() => expect(text).toContain("event: open"));
  const updates = (): readonly LiveUpdate[] =>
    [...text.matchAll(/^event: update\ndata: (.*)$/gm)].map((match) =>
      JSON.parse(match[1] ?? "{}"),
    );
  return {
    states: (id: string) =>
      updates().flatMap(({ rows = [] }) =>
        rows.filter((row) => row.id === id).map(({ state }) => state),
      ),
    refusals: () => updates().flatMap(({ refusals = [] }) => refusals.map(({ id }) => id)),
    failed: () =>
      [...text.matchAll(/^event: failed\ndata: \{"failing":(\d+),"dead":(\d+)\}$/gm)].map(
        ([, failing, dead]) => `${failing} ${dead}`,
      ),
    gone: () => updates().flatMap(({ gone = [] }) => gone),
  };
}
