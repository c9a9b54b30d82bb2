import { describe, expect, it } from "vitest";
import { eventKinds } from "../../../src/entries/index.ts";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { type FakeIoOptions, runCli } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";
import { env } from "./sending.ts";

/** Triggers, and returns the run and the bodies that were sent. */
async function trigger(argv: readonly string[], options: FakeIoOptions = {}) {
  const target = await startReceiving();
  const run = await runCli(["trigger", ...argv, "--url", target.url], {
    ...options,
    env: { ...env, ...options.env },
  });
  return { run, code: run.code, bodies: target.bodies(), kinds: target.kinds() };
}

it("--data is read from a file, with or without a byte order mark, or from standard input", async () => {
  const text = '{"id": 1.50}';
  const options = { cwd: folderWith({ "plain.json": text, "marked.json": `\uFEFF${text}` }) };
  for (const given of ["@plain.json", "@marked.json", "@-"]) {
    const argv = ["lead.created", "--data", given];
    const { code, bodies } = await trigger(argv, { ...options, stdin: text });
    expect([code, bodies[0]]).toEqual([0, expect.stringContaining('"data":{"id": 1.50}')]);
  }
});

it("a kind that is typed overrides a setting of all", async () => {
  const all = { env: { HOOKPORTER_TRIGGER_ALL: "true" } };
  expect((await trigger(["lead.created"], all)).kinds).toEqual(["lead.created"]);
  expect((await trigger([], all)).bodies).toHaveLength(12);
});

it.each(["lead.lost", "__proto__", "toString", 'a"b', "é"])(
  "--unknown-kind sends any kind, such as %s",
  async (kind) => {
    const { kinds, bodies } = await trigger([kind, "--unknown-kind"]);
    expect(kinds).toEqual([kind]);
    expect(JSON.parse(bodies[0] ?? "").data.id).toMatch(/^sample_[0-9a-f]{12}$/);
  },
);

/** The body of an event that is triggered with these flags. */
async function bodyOf(...flags: string[]): Promise<string> {
  const { code, bodies } = await trigger(["payment.received", ...flags]);
  expect([code, bodies.length]).toEqual([0, 1]);
  return bodies[0] ?? "";
}

describe("--data", () => {
  it.each([
    '{"id":1234567890123456789012345,"amount":1.50,"rate":1e400,"zero":-0}',
    '{ "a" : "\\u00e9\\/" ,\n\t"b":[ 1 , 2 ] }',
    '{"é":"😀","a":{"a":{}}}',
    '{"$&":"$1","__proto__":{"":[]},"\u2028":"\\ud800"}',
    "{}",
  ])("is sent exactly as written, even if a value beside it is set: %s", async (data) => {
    const body = await bodyOf("--data", `\n ${data} \r\n`, "--set", "webhook.id=wh_other");
    expect(body).toContain(`"data":${data},`);
    const { data: _, ...others } = JSON.parse(body);
    expect(others).toMatchObject({ event: "payment.received", webhook: { id: "wh_other" } });
  });

  it("can be changed inside, and keeps its numbers", async () => {
    const data = '{"big": 12345678901234567890123, "note": "1.50", "rate": 1.50}';
    expect(
      await bodyOf("--data", data, "--set", "data.note=12345678901234567890123 kept"),
    ).toContain(
      '"data":{"big":12345678901234567890123,"note":"12345678901234567890123 kept","rate":1.50}',
    );
    expect(await bodyOf("--data", data, "--set", 'data={"c":1}')).toContain('"data":{"c":1}');
  });

  it.each(["", "x", "{", "{} {}", "{'a':1}", "[]", "null", "1", '"x"'])(
    "that is no JSON object is refused: %j",
    async (data) => {
      const { run, bodies } = await trigger(["payment.received", "--data", data]);
      expect([run.code, bodies]).toEqual([2, []]);
      const got = /^[[n1"]/.test(data) ? "another JSON value" : "text that is not JSON";
      expect(run.said).toContain(`expected data to be a JSON object, got ${got}`);
    },
  );
});

describe("--set", () => {
  it.each<[string, string, unknown]>([
    ["data.amount", "1200", 1200],
    ["data.amount", '"1200"', "1200"],
    ["data.amount", "12,00", "12,00"],
    ["data.paid", "true", true],
    ["data.paid", "null", null],
    ["data.note", "", ""],
    ["data.note", "late = yes", "late = yes"],
    ["data.parts", '[{"a":1}]', [{ a: 1 }]],
    ["data.new.and.deep", "x", "x"],
    ["data.constructor", "x", "x"],
    ["data.toString.x", "x", "x"],
    ["webhook.id", "wh_2", "wh_2"],
    ["event", "lease.signed", "lease.signed"],
    ["timestamp", "never", "never"],
    ["id", "evt_own", "evt_own"],
    ["data.x", "01", "01"],
    ["data.x", "1.", "1."],
    ["data.x", "+1", "+1"],
    ["data.x", "0x10", "0x10"],
    ["data.x", "NaN", "NaN"],
    ["data.x", "12345678901234567890123x", "12345678901234567890123x"],
  ])("%s=%s sets it, as JSON if it is any, else as text", async (path, value, expected) => {
    const body = JSON.parse(await bodyOf("--set", `${path}=${value}`));
    expect(path.split(".").reduce((holder, step) => holder[step], body)).toEqual(expected);
  });

  it.each([
    ["data.x", "12345678901234567890123"],
    ["data.x", "-9007199254740993"],
    ["data.x", "1.50"],
    ["data.x", "0.1234567890123456789"],
    ["data.x", "1e400"],
    ["data.x", '{"deep":[12345678901234567890123,1.0]}'],
    ["data", '{"x":12345678901234567890123}'],
  ])("%s=%s keeps the number as written", async (path, value) => {
    expect(await bodyOf("--set", `${path}=${value}`)).toContain(value);
  });

  it("leaves everything else unchanged", async () => {
    const { bodies } = await trigger(["property.created", "--set", "data.owner.name=Other"]);
    const { timestamp, data, ...others } = JSON.parse(bodies[0] ?? "");
    const sample = sampleEvent("property.created", { timestamp: Date.parse(timestamp) });
    const { id: _, ...sampleData } = sample.data;
    expect(data).toMatchObject({ ...sampleData, owner: { id: "user_sample_0001", name: "Other" } });
    expect({ ...others, timestamp, data: sample.data }).toEqual(sample);
  });

  it("is applied in order, so that the last one wins, also in lists", async () => {
    const given = ["data.list=[1,2]", "data.list.0=9", "data.list.2=3", "data.amount=1"];
    const flags = [...given, "data.amount=2"].flatMap((text) => ["--set", text]);
    expect(JSON.parse(await bodyOf(...flags)).data).toMatchObject({ list: [9, 2, 3], amount: 2 });
  });

  it.each([
    "",
    ".",
    "data.",
    ".data",
    "data..x",
    "__proto__",
    "data.__proto__",
    "data.__proto__.x",
    "event.x",
    "data.list.length",
    "data.list.3",
    "data.list.-1",
    "data.list.x",
  ])("is refused with the path %j", async (path) => {
    const argv = ["payment.received", "--set", "data.list=[1,2]", "--set", `${path}=-1`];
    const { run, bodies } = await trigger(argv);
    expect([run.code, bodies]).toEqual([2, []]);
    expect(run.said).toContain("--set");
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

it("each event is about a resource of its own, of the same id for the same seed", async () => {
  const idsOf = async (...argv: string[]) =>
    (await trigger(argv)).bodies.map((body) => JSON.parse(body).data.id);
  const two = ["payment.received", "--count", "2"];
  const ids = await idsOf(...two, "--seed", "7");
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^payment_sample_[0-9a-f]{12}$/);
  expect(await idsOf(...two, "--seed", "7")).toEqual(ids);
  expect(await idsOf(...two, "--seed", "8")).not.toEqual(ids);
  expect(await idsOf(...two, "--data", '{"id":7}')).toEqual([7, 7]);
  expect(await idsOf(...two, "--set", "data.id=own")).toEqual(["own", "own"]);
  const [created, updated] = await idsOf("property.*");
  expect(updated).toBe(created);
});

it("each kind of a family is sent in each round, with a timestamp of its own", async () => {
  const { bodies, kinds } = await trigger(["payment.*", "--count", "2"]);
  const family = eventKinds.filter((kind) => kind.startsWith("payment."));
  expect(kinds).toEqual([...family, ...family]);
  const at = bodies.map((body) => Date.parse(JSON.parse(body).timestamp));
  expect(at).toEqual(at.map((_, index) => (at[0] ?? 0) + index));
});
