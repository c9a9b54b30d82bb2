import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readEnvelope } from "../../../src/event/read-envelope.ts";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { envelope } from "../send/sending.ts";

const DATA = {
  id: "pay_8841",
  tenant: "tenant_4711",
  amount: "1450.00",
  rooms: 3,
  rent: 812.5,
  name: "Ada Lovelace",
  email: "ada@lovelace.test",
  site: "https://lovelace.test/home",
  token: "0f6a1f0e-2f3f-4b8a-9d43-0a1b2c3d4e5f",
  paid_on: "2026-01-03",
  seen_at: "2026-01-03T10:00:00.000Z",
  status: "open",
  late: true,
  note: null,
  tags: ["private"],
  notes: { "ada@lovelace.test": "hello" },
};

/** A folder with one saved envelope for each `data`. */
function saved(...all: readonly object[]): string {
  const webhook = { id: "wh_private_1", url: "https://customer.test/hooks" };
  const files = all.map((data, index) => {
    const timestamp = `2026-01-15T09:30:0${index}.000Z`;
    return [`in/${index}.json`, envelope({ timestamp, data, webhook })];
  });
  return folderWith(Object.fromEntries(files));
}

/** The data of the scrubbed fixtures. */
function scrubbed(cwd: string): readonly Record<string, unknown>[] {
  return readdirSync(join(cwd, "out")).map((name) => {
    const read = readEnvelope(
      Buffer.from(JSON.parse(readFileSync(join(cwd, "out", name), "utf8")).body),
    );
    if (!read.ok) throw new Error(`${name} is no event`);
    return read.envelope.data;
  });
}

const all = (cwd: string) =>
  readdirSync(join(cwd, "out"))
    .map((name) => readFileSync(join(cwd, "out", name), "utf8"))
    .join();

it("fixtures scrub replaces every value and keeps the shape", async () => {
  const cwd = saved(DATA, { ...DATA, id: "pay_8842" });
  await runCli(["types", "in"], { cwd });
  const { code, stderr } = await runCli(["fixtures", "scrub", "in", "--to", "out"], { cwd });
  expect([code, stderr]).toEqual([0, "2 scrubbed to out\n"]);
  const fits = await runCli(["types", "out", "--check"], { cwd });
  expect([fits.code, fits.stdout]).toEqual([0, ""]);
  // Whole words: random ids and signatures may hold any few digits.
  expect(all(cwd)).not.toMatch(
    /pay_884|tenant_4711|1450\.00|\b812\.5\b|\bAda\b|lovelace|0f6a1f0e|2026-01-03|\bopen\b|private|hello|customer/i,
  );
  const [first, second] = scrubbed(cwd);
  expect(first).toMatchObject({
    id: expect.stringMatching(/^pay_sample_0\w+$/),
    amount: expect.stringMatching(/^\d{4}\.00$/),
    rooms: expect.any(Number),
    rent: expect.any(Number),
    email: expect.stringMatching(/@sample\.invalid$/),
    paid_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    late: true,
    note: null,
    tags: [expect.any(String)],
  });
  expect(Object.keys(first ?? {})).toEqual(Object.keys(DATA));
  // What belonged together still does; what differed differs.
  expect(first?.tenant).toBe(second?.tenant);
  expect(first?.id).not.toBe(second?.id);
});

it("fixtures scrub keeps what it is told to, and repeats itself with a seed only", async () => {
  const cwd = saved(DATA);
  const run = (...more: string[]) =>
    runCli(["fixtures", "scrub", "in/0.json", "--keep", "data.status", ...more], { cwd });
  const first = await run("--seed", "7");
  expect(first.stdout).toContain('\\"status\\":\\"open\\"');
  expect((await run("--seed", "7")).stdout).toBe(first.stdout);
  expect((await run("--seed", "8")).stdout).not.toBe(first.stdout);
  expect((await run()).stdout).not.toBe((await run()).stdout);
});

it("trigger sends data that fits the shape file, the same with the same seed", async () => {
  const cwd = saved(DATA, { ...DATA, id: "pay_8842", rooms: null });
  await runCli(["types", "in", "--with-samples"], { cwd });
  const trigger = async (...more: string[]) => {
    const argv = ["trigger", "payment.received", "--dry-run", "--json", "--no-signature", ...more];
    const { stderr, records } = await runCli(argv, { cwd });
    const bodies = records.map(
      ({ file }) => JSON.parse(readFileSync(join(cwd, String(file)), "utf8")).data,
    );
    return { stderr, bodies };
  };
  const made = await trigger("--count", "5", "--seed", "3");
  expect(made.stderr).toContain("data made up from src/schemas.shape.json");
  expect(new Set(made.bodies.map(({ id }) => id)).size).toBe(5);
  expect((await trigger("--count", "5", "--seed", "3")).bodies).toEqual(made.bodies);
  const checking = ["types", ".hookporter/bodies", "--check", "--with-samples"];
  const { code, stdout } = await runCli(checking, { cwd });
  expect([code, stdout]).toEqual([0, ""]);
  const given = await trigger("--data", '{"own":1}');
  expect([given.stderr, given.bodies]).toEqual([
    expect.not.stringContaining("made up"),
    [{ own: 1 }],
  ]);
  const plain = await trigger("--no-shapes");
  expect([plain.stderr, plain.bodies[0].tenant]).toEqual([
    expect.not.stringContaining("made up"),
    "tenant_sample_0001",
  ]);
});
