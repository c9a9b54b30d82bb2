import { expect, it, vi } from "vitest";
import { formatDelivery } from "../../../src/relay/fixture.ts";
import { SECRET } from "../../receiver/sample.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { runCli, startCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { envelope } from "./sending.ts";

const OLD = envelope({ timestamp: "1990-01-01T00:00:00Z" });
const OTHER = envelope({ event: "lead.created" });

/** A saved delivery of this body. */
function saved(body: string): string {
  const headers = { "x-service-signature": signed(body, SECRET) };
  const delivery = { method: "POST", target: "/", headers, receivedAt: 0, body: Buffer.from(body) };
  return formatDelivery(delivery);
}

/** A folder with files to replay and a module of handlers, and the command that runs these. */
function replaying(files: Readonly<Record<string, object | string>>, handlers: string) {
  const cwd = folderWith({ ...files, "h.mjs": `export default { ${handlers} };` });
  return { cwd, argv: ["replay", ...Object.keys(files), "--handlers", "h.mjs"] };
}

it("a delivery of decades ago is handled, as it was with --exact and with a new timestamp without", async () => {
  const { cwd, argv } = replaying(
    { "a.json": saved(JSON.stringify(OLD)) },
    '"*": (event) => { console.log(event.timestamp) }',
  );
  const exact = await runCli([...argv, "--exact"], { cwd });
  expect(exact).toMatchObject({ code: 0, stdout: "handled a.json\n" });
  expect(exact.stderr).toMatch(/^1990-01-01T00:00:00.*Z\n/);
  const fresh = await runCli(argv, { cwd });
  expect(fresh).toMatchObject({ code: 0, stdout: "handled a.json\n" });
  expect(fresh.stderr).not.toContain("1990");
});

it("a handler that fails runs once, and one that never ends is given up after --timeout", async () => {
  const { cwd, argv } = replaying(
    { "a.json": OLD, "b.json": OTHER },
    `"payment.received": () => { console.log("runs"); throw new Error("no"); },
     "lead.created": () => new Promise(() => {})`,
  );
  const { code, stdout, stderr } = await runCli([...argv, "--timeout", "30ms"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^failed a\.json {2}payment\.received: no at .*\nfailed b\.json {2}lead\.created: /,
  );
  expect(stderr).toBe("runs\n2 replayed, 2 failed\n");
});

it("each file has a line and a record of what became of it, green or red on a terminal", async () => {
  const { cwd, argv } = replaying(
    {
      "1.json": saved(JSON.stringify(OLD)),
      "2.json": saved(JSON.stringify(OLD)),
      "3.json": saved("no JSON"),
      "4.json": saved(JSON.stringify(OTHER)),
      "5.json": saved(JSON.stringify(envelope({ webhook: 1 }))),
      "6.json": saved(JSON.stringify(envelope({ event: "lease.signed" }))),
    },
    '"payment.received": () => {}, "lead.created": (event) => event.data.missing.name',
  );
  const { code, records } = await runCli([...argv, "--exact", "--json"], { cwd });
  expect(code).toBe(1);
  expect(records.map(({ label, state, detail }) => [label, state, detail])).toEqual([
    ["1.json", "handled", ""],
    ["2.json", "duplicate", "same event as an earlier one"],
    ["3.json", "failed", expect.stringMatching(/^invalid_json: [^()]*$/)],
    ["4.json", "failed", expect.stringMatching(/^lead\.created: .* at \S*h\.mjs:1:\d+$/)],
    ["5.json", "failed", expect.stringMatching(/^invalid_envelope: .* \(webhook\)$/)],
    ["6.json", "received", "no handler for this kind"],
  ]);
  expect(records[0]).toMatchObject({ type: "replay" });
  const { stdout, stderr } = await runCli(argv, { cwd, isTTY: { stdout: true } });
  const lines = stdout.split("\n");
  expect(lines[0]).toBe("\u001b[32mhandled\u001b[39m 1.json");
  expect(lines[3]).toMatch("\u001b[31mfailed\u001b[39m 4.json  lead.created: ");
  expect(lines[5]).toMatch(/received\S* 6\.json {2}no handler for this kind$/);
  expect(stderr).toContain("6 replayed, 3 failed\n");
});

it("data that does not fit its schema is described", async () => {
  const issues = 'issues: [{ message: "no", path: ["id"] }]';
  const schema = `{ "~standard": { version: 1, vendor: "own", validate: () => ({ ${issues} }) } }`;
  const { cwd, argv } = replaying(
    { "1.json": OLD },
    `[Symbol.for("hookporter.handlers")]: 1, otherKinds: [], handlers: (on) => on.on("*", () => {}),
      schemas: { "payment.received": ${schema} }`,
  );
  expect(await runCli(argv, { cwd })).toMatchObject({
    stdout: "failed 1.json  invalid_data: data.id: no (got string)\n",
    stderr: "", // no summary of one file
  });
});

const SLOW =
  '"*": async () => { console.log("runs"); await new Promise((r) => setTimeout(r, 100)); }';

it("a run that is interrupted ends after the handler that runs, and tells how far it came", async () => {
  const { cwd, argv } = replaying({ "1.json": OLD, "2.json": OTHER }, SLOW);
  const replay = startCli([...argv, "--json"], { cwd });
  await vi.waitFor(() => expect(replay.now().stderr).toContain("runs"), 10_000);
  replay.signal("SIGINT");
  const { code, records, stderr } = await replay.finished;
  expect([code, stderr]).toEqual([
    130,
    expect.stringContaining("stopped by SIGINT: 1 of 2 replayed\n"),
  ]);
  expect(records.at(-1)).toMatchObject({
    type: "interrupted",
    reason: "stopped by SIGINT",
    exitCode: 130,
    total: 2,
    sent: 1,
    ok: 1,
    new: null,
    duplicates: null,
  });
});

it("a second signal reports at once how far the run came", async () => {
  const { cwd, argv } = replaying({ "1.json": OLD, "2.json": OTHER }, SLOW);
  const replay = startCli(argv, { cwd });
  await vi.waitFor(() => expect(replay.now().stderr).toContain("runs"), 10_000);
  replay.signal("SIGTERM");
  replay.signal("SIGINT");
  expect(replay.now().stderr).toContain("stopped at once by SIGINT: 0 of 2 replayed\n");
  expect(await replay.finished).toMatchObject({ code: 143 });
});
