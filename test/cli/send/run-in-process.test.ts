import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { run } from "../../../src/cli/main.ts";
import { formatDelivery } from "../../../src/relay/fixture.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { fakeIo, runCli, startCli, tempFolder } from "../fake-io.ts";

const SECRET = "a secret that is long enough";
const ENVELOPE = {
  event: "payment.received",
  timestamp: "1990-01-01T00:00:00Z",
  data: { id: "pay_1" },
  webhook: { id: "wh_1", url: "u" },
};

/**
 * A folder with a module of handlers, and files to replay: envelopes, or bodies of saved
 * deliveries.
 */
function folderOf(files: Readonly<Record<string, object | string>>, handlers: string) {
  const cwd = tempFolder();
  for (const [name, content] of Object.entries(files)) {
    if (typeof content !== "string") writeFileSync(join(cwd, name), JSON.stringify(content));
    else {
      const body = Buffer.from(content);
      const headers = { "x-service-signature": signed(body, SECRET) };
      const saved = { method: "POST", target: "/", headers, receivedAt: 0, body };
      writeFileSync(join(cwd, name), formatDelivery(saved));
    }
  }
  writeFileSync(join(cwd, "h.mjs"), handlers);
  return { cwd, argv: ["replay", ...Object.keys(files), "--handlers", "h.mjs"] };
}

it("a delivery of decades ago is handled, as it was with --exact and with a new timestamp without", async () => {
  const { cwd, argv } = folderOf(
    { "a.json": JSON.stringify(ENVELOPE) },
    'export default { "*": (event) => { console.log(event.timestamp) } };',
  );
  const exact = await runCli([...argv, "--exact"], { cwd });
  expect(exact).toMatchObject({ code: 0, stdout: "handled a.json\n" });
  expect(exact.stderr).toMatch(/^1990-01-01T00:00:00.*Z\n$/);
  const fresh = await runCli(argv, { cwd });
  expect(fresh).toMatchObject({ code: 0, stdout: "handled a.json\n" });
  expect(fresh.stderr).not.toContain("1990");
});

it("a handler that fails runs once, and one that never ends is given up after --timeout", async () => {
  const { cwd, argv } = folderOf(
    { "a.json": ENVELOPE, "b.json": { ...ENVELOPE, event: "lead.created" } },
    `export default {
      "payment.received": () => { console.log("runs"); throw new Error("no"); },
      "lead.created": () => new Promise(() => {}),
    };`,
  );
  const { code, stdout, stderr } = await runCli([...argv, "--timeout", "30ms"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^failed a\.json {2}payment\.received: no at .*\nfailed b\.json {2}lead\.created: /,
  );
  expect(stderr).toBe("runs\n2 replayed, 2 failed\n");
});

it("each file has a record of what became of it", async () => {
  const { cwd, argv } = folderOf(
    {
      "1.json": JSON.stringify(ENVELOPE),
      "2.json": JSON.stringify(ENVELOPE),
      "3.json": "no JSON",
      "4.json": JSON.stringify({ ...ENVELOPE, event: "lead.created" }),
    },
    'export default { "payment.received": () => {} };',
  );
  const { code, records } = await runCli([...argv, "--exact", "--json"], { cwd });
  expect(code).toBe(1);
  expect(records.map(({ label, state, detail }) => [label, state, detail])).toEqual([
    ["1.json", "handled", ""],
    ["2.json", "duplicate", "same event as an earlier one"],
    ["3.json", "failed", expect.stringMatching(/^invalid_json: [^()]*$/)],
    ["4.json", "received", "no handler for this kind"],
  ]);
  expect(records[0]).toMatchObject({ type: "replay" });
});

it("a field that is wrong is named after the reason", async () => {
  const { cwd, argv } = folderOf(
    { "1.json": { ...ENVELOPE, webhook: 1 } },
    "export default { 'deal.status_changed': () => {} };",
  );
  const { stdout } = await runCli(argv, { cwd });
  expect(stdout).toMatch(/^failed 1\.json {2}invalid_envelope: .* \(webhook\)\n$/);
});

it("one file has no summary", async () => {
  const { cwd, argv } = folderOf({ "1.json": ENVELOPE }, 'export default { "*": () => {} };');
  expect(await runCli(argv, { cwd })).toMatchObject({
    code: 0,
    stdout: "handled 1.json\n",
    stderr: "",
  });
});

/**
 * Runs a command whose process reports uncaught errors and calls of `process.exit`, as the handlers
 * ask for them.
 */
async function runWatched(argv: readonly string[], cwd: string, during: (io: Watched) => void) {
  const { io, stdout, stderr } = fakeIo({ cwd });
  const watched: Watched = { stray: () => {}, exit: () => -1 };
  const finished = run(argv, {
    ...io,
    onStray: (listener) => {
      watched.stray = listener;
      return () => {
        watched.stray = () => {};
      };
    },
    onExitCall: (listener) => {
      watched.exit = (code) => listener({ code, at: "h.mjs:1" });
      return () => {
        watched.exit = () => -1;
      };
    },
  });
  await vi.waitFor(() => expect(stderr()).toContain("runs\n"), 10_000);
  during(watched);
  const code = await finished;
  return { code, watched, stdout: stdout(), stderr: stderr() };
}

interface Watched {
  stray: (thrown: unknown) => void;
  exit: (code: number) => number;
}

const SLOW =
  'export default { "*": async () => { console.log("runs"); await new Promise((r) => setTimeout(r, 100)); } };';

it.each([
  [1, "1 error outside any awaited handler"],
  [2, "2 errors outside any awaited handler"],
])("%i errors outside a handler make the run fail, and are counted", async (count, counted) => {
  const { cwd, argv } = folderOf({ "1.json": ENVELOPE }, SLOW);
  const { code, stderr } = await runWatched(argv, cwd, ({ stray }) => {
    for (let at = 0; at < count; at++) stray(new Error("late"));
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error outside any awaited handler: late /m);
  expect(stderr).toContain(`1 replayed, 0 failed, ${counted}\n`);
});

it("a handler that ends the process is named with the file it ran for; after the run nothing is watched", async () => {
  const { cwd, argv } = folderOf(
    { "1.json": ENVELOPE, "2.json": { ...ENVELOPE, event: "lead.created" } },
    SLOW,
  );
  let exitCode: number | undefined;
  const { watched, stderr } = await runWatched(argv, cwd, ({ exit }) => {
    exitCode = exit(0);
  });
  expect(exitCode).toBeGreaterThan(0);
  expect(stderr).toContain("process.exit(0) at h.mjs:1. Interrupted: 1.json, after 0 of 2.");
  expect(watched.exit(0)).toBe(-1);
});

it("a module that ends the process while it is loaded ran for nothing yet", async () => {
  const { cwd, argv } = folderOf(
    { "1.json": ENVELOPE },
    'console.log("runs"); await new Promise((r) => setTimeout(r, 100)); export default { "*": () => {} };',
  );
  const { stderr } = await runWatched(argv, cwd, ({ exit }) => void exit(0));
  expect(stderr).toContain("Interrupted: nothing, after 0 of 1.");
});

it("on a terminal a state is green, and red if it failed", async () => {
  const { cwd, argv } = folderOf(
    { "1.json": ENVELOPE, "2.json": { ...ENVELOPE, event: "lead.created" } },
    'export default { "payment.received": () => {}, "lead.created": () => { throw new Error("no"); } };',
  );
  const { stdout } = await runCli(argv, { cwd, isTTY: { stdout: true } });
  expect(stdout).toContain("\u001b[32mhandled\u001b[39m 1.json\n\u001b[31mfailed\u001b[39m 2.json");
});

it("data that does not fit its schema is described", async () => {
  const schema =
    '{ "~standard": { version: 1, vendor: "own", validate: () => ({ issues: [{ message: "no", path: ["id"] }] }) } }';
  const { cwd, argv } = folderOf(
    { "1.json": ENVELOPE },
    `export default { [Symbol.for("hookporter.handlers")]: 1, otherKinds: [], schemas: { "payment.received": ${schema} },
      handlers: (receiver) => receiver.on("*", () => {}) };`,
  );
  const { stdout } = await runCli(argv, { cwd });
  expect(stdout).toBe("failed 1.json  invalid_data: data.id: no (got string)\n");
});

it("a second signal reports at once how far the run came", async () => {
  const { cwd, argv } = folderOf(
    { "1.json": ENVELOPE, "2.json": { ...ENVELOPE, event: "lead.created" } },
    SLOW,
  );
  const replay = startCli(argv, { cwd });
  await vi.waitFor(() => expect(replay.now().stderr).toContain("runs"), 10_000);
  replay.signal("SIGTERM");
  replay.signal("SIGINT");
  expect(replay.now().stderr).toContain("stopped at once by SIGINT: 0 of 2 replayed\n");
  expect(await replay.finished).toMatchObject({ code: 143 });
});
