import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { root } from "../../docs/markdown.ts";
import { SECRET } from "../../receiver/sample.ts";
import { tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { startListening } from "../listening.ts";
import { envelope } from "../send/sending.ts";

/** Milliseconds for a process to start or do something, generous for a busy machine. */
const PATIENCE = 40_000;

/** Starts the built program with the test's handlers. */
function start(argv: readonly string[], handlers: string, cwd: string) {
  writeFileSync(join(cwd, "h.js"), handlers);
  const args = [join(root, "dist", "bin.js"), ...argv, "--json", "--handlers", "h.js"];
  const env = { PATH: process.env.PATH ?? "", HOOKPORTER_SECRET: SECRET };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env });
  const records = String(stdout).split("\n").slice(0, -1);
  return { status, records: records.map((line) => JSON.parse(line)), stderr: String(stderr) };
}

/** Starts the built `listen` with these handlers. */
function listening(handlers: string, argv: readonly string[] = [], cwd = tempFolder()) {
  writeFileSync(join(cwd, "h.js"), handlers);
  const listen = startListening(["--handlers", "h.js", ...argv], { cwd });
  /** Waits for this many records of attempts. */
  const attempts = (count = 1) =>
    vi.waitFor(() => {
      expect(listen.records("attempt"), listen.output()).toHaveLength(count);
      return listen.records("attempt");
    }, PATIENCE);
  return { ...listen, attempts };
}

/** A file of an event of each of these kinds. */
function events(...kinds: readonly string[]): string {
  return folderWith(
    Object.fromEntries(kinds.map((event) => [`${event}.json`, envelope({ event, data: {} })])),
  );
}

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "listen exits at once on a second signal while it is closing: %s",
  async (signal, code) => {
    const { child, ended, records, trigger, cwd, said, output } = listening(`
    import { writeFileSync } from "node:fs";
    export default { "*": () => { writeFileSync("started", ""); return new Promise(() => setInterval(() => {}, 1000)); } };
  `);
    await trigger("payment.received");
    await vi.waitFor(() => expect(existsSync(join(cwd, "started"))).toBe(true), PATIENCE);
    child.kill(signal);
    await said("again to stop at once");
    // one that follows at once is the first, passed on by another way
    if (signal === "SIGTERM") await sleep(600);
    child.kill(signal);
    expect(await ended).toBe(code);
    expect(output().match(/^stopped at once by .*$/gm)).toHaveLength(1);
    expect(records("stopped")).toMatchObject([{ exitCode: code, counts: { accepted: 1 } }]);
    expect(output()).not.toContain("process.exit");
  },
);

it("listen refuses new connections while it waits for handlers, which end", async () => {
  const { child, ended, records, trigger, cwd, said } = listening(`
    import { existsSync } from "node:fs";
    const mayEnd = (end) => existsSync("end") ? end() : setTimeout(mayEnd, 50, end);
    export default { "*": () => new Promise(mayEnd) };
  `);
  await trigger("payment.received");
  child.kill("SIGTERM");
  await said("again to stop at once");
  const refused = async () => expect((await trigger("lead.created")).stderr).toMatch(/refused/i);
  await vi.waitFor(refused, PATIENCE);
  writeFileSync(join(cwd, "end"), "");
  expect(await ended).toBe(0);
  expect(records("attempt")).toMatchObject([{ runs: [{ outcome: "ok" }] }]);
});

it("listen survives stray errors, prints and counts each, runs what it acknowledged, and exits although handlers left something running", async () => {
  const { child, ended, trigger, records, attempts, said, output } = listening(`
    export default {
      "payment.received": () => { Promise.reject(new Error("left alone")); },
      "payment.overdue": () => { setTimeout(() => { throw new Error("too late"); }, 1); },
      "lead.created": () => { Promise.reject(undefined); },
      "*": () => void setInterval(() => {}, 1000),
    };
  `);
  expect((await trigger("--all")).code).toBe(0);
  expect(await attempts(12)).toMatchObject(Array(12).fill({ state: "handled" }));
  await said("too late");
  child.kill("SIGINT");
  expect(await ended).toBe(0);
  expect(output().match(/^error outside any awaited handler: .*$/gm)).toHaveLength(3);
  expect(output()).toMatch(
    /^stopped by SIGINT: 12 accepted, 12 handled, 3 errors outside any awaited handler$/m,
  );
  expect(records("stopped")).toMatchObject([
    { strayErrors: 3, counts: { accepted: 12, handled: 12 } },
  ]);
});

const PRINTING = `
  console.log("while loading");
  const { info } = console;
  export default {
    "*": () => {
      console.log("handler %s", "prints");
      console.debug("debug"); info("info"); console.table([{ a: 1 }]); console.dir({ b: 2 });
    },
  };
`;

it("what handlers print stays off standard output, in listen and replay", async () => {
  const { child, ended, trigger, attempts, output, cwd } = listening(PRINTING);
  await trigger("payment.received");
  await attempts();
  child.kill("SIGINT");
  await ended;
  const types = output().match(/(?<=^\{.*"type":")\w+/gm);
  expect(types).toEqual(["ready", "delivery", "attempt", "stopped"]);
  for (const text of ["while loading", "handler prints", "debug", "info"])
    expect(output()).toMatch(new RegExp(`^[^{]*${text}`, "m"));
  const replay = start(["replay", "1"], PRINTING, cwd);
  expect(replay.status).toBe(0);
  expect(replay.records).toMatchObject([{ type: "replay" }]);
  expect(replay.stderr).toContain("handler prints");
});

it("replay reports a stray error and exits with 1", () => {
  const handlers = 'export default { "*": () => { Promise.reject(new Error("left alone")); } };';
  const run = start(["replay", "lead.created.json"], handlers, events("lead.created"));
  expect(run.status).toBe(1);
  expect(run.records).toContainEqual(expect.objectContaining({ type: "replay", state: "handled" }));
  expect(run.stderr).toContain("error outside any awaited handler: left alone");
  expect(run.stderr).toContain("1 replayed, 0 failed, 1 error outside any awaited handler\n");
});

const EXITING = `
  export default {
    "lead.created": () => new Promise(() => setInterval(() => {}, 1000)),
    "tenant.created": () => {},
    "payment.received": async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      process.exit(CODE);
    },
    "payment.overdue": () => process.exit(CODE),
  };
`;

it.each([
  ["payment.received", "0"],
  ["payment.overdue", ""],
  ["payment.received", "7"],
] as const)(
  "says that a handler of %s called process.exit(%s), and exits 1",
  async (kind, code) => {
    const exiting = listening(EXITING.replaceAll("CODE", code));
    const { cwd, ended, trigger, records, attempts, output } = exiting;
    await trigger("tenant.created");
    await trigger("lead.created");
    await attempts();
    await trigger(kind);
    expect(await ended).toBe(1);
    const [error, ...others] = output().match(/^error: .*$/gm) ?? [];
    expect(others).toEqual([]);
    expect(error).toContain(`process.exit(${Number(code)}) at ${join(cwd, "h.js")}:`);
    expect(error).toContain(`next start: #2 lead.created, #3 ${kind}.`);
    expect(records("stopped")).toMatchObject([
      { exitCode: 1, counts: { accepted: 3, handled: 1 } },
    ]);
    expect(records("error")).toMatchObject([{ code: "handler_exited" }]);
    const next = listening('export default { "*": () => {} };', ["--count", "1"], cwd);
    expect(await next.attempts(2)).toEqual(
      expect.arrayContaining(
        ["lead.created", kind].map((one) =>
          expect.objectContaining({ kind: one, state: "handled", attempt: 2 }),
        ),
      ),
    );
  },
);

it("says that process.exit was called while handlers were loaded, or after they had ended", async () => {
  const loading = listening("process.exit(0);");
  const later = listening(
    'export default { "*": () => void setTimeout(() => process.exit(0), 200) };',
  );
  await later.trigger("lead.created");
  for (const { ended, output } of [loading, later]) {
    expect(await ended).toBe(1);
    expect(output()).toMatch(/^error: .*process\.exit\(0\).* No entry was interrupted/m);
  }
  expect(later.records("stopped")).toMatchObject([
    { exitCode: 1, counts: { accepted: 1, handled: 1 } },
  ]);
});

it("says that a handler of a replay called process.exit, and exits 1", () => {
  const kinds = ["tenant.created", "payment.overdue", "lead.created"];
  const files = kinds.map((kind) => `${kind}.json`);
  const handlers = EXITING.replaceAll("CODE", "0");
  const { status, stderr, records } = start(["replay", ...files], handlers, events(...kinds));
  expect(status).toBe(1);
  expect(records).toMatchObject([
    { type: "replay", label: "tenant.created.json", state: "handled" },
    { type: "error", code: "handler_exited" },
  ]);
  expect(stderr.match(/^error: .*$/gm)).toEqual([
    expect.stringMatching(
      /process\.exit\(0\) at .*h\.js:\d+\. Interrupted: payment\.overdue\.json, after 1 of 3/,
    ),
  ]);
  const loading = start(
    ["replay", "lead.created.json"],
    "process.exit(0);",
    events("lead.created"),
  );
  expect(loading.status).toBe(1);
  expect(loading.stderr).toContain("Interrupted: nothing, after 0 of 1.");
});
