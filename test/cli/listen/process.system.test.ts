import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";

const bin = join(import.meta.dirname, "..", "..", "..", "dist", "bin.js");
/** Milliseconds for a process to start or do something, generous for a busy machine. */
const PATIENCE = 40_000;
const env = { PATH: process.env.PATH ?? "", HOOKPORTER_SECRET: "a secret that is long enough" };

/** Starts the built program with the test's handlers. */
function start(argv: readonly string[], handlers: string, cwd = tempFolder()) {
  writeFileSync(join(cwd, "h.js"), handlers);
  const child = spawn(process.execPath, [bin, ...argv, "--json", "--handlers", "h.js"], {
    cwd,
    env,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  const lines = () => stdout.split("\n").slice(0, -1);
  const records = (type: string) =>
    lines()
      .map((line): Record<string, unknown> => JSON.parse(line))
      .filter((record) => record.type === type);
  return { child, cwd, ended, records, lines, stderr: () => stderr };
}

/** The same with `listen`, ready. */
async function listening(handlers: string, argv: readonly string[] = []) {
  const listen = start(["listen", "--port", "0", ...argv], handlers);
  await vi.waitFor(
    () => expect(listen.records("ready"), listen.stderr()).toHaveLength(1),
    PATIENCE,
  );
  const url = String(listen.records("ready")[0]?.url);
  const trigger = (...more: string[]) =>
    runCli(["trigger", ...more, "--url", url], { cwd: listen.cwd, env: { ...env } });
  return { ...listen, trigger };
}

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "listen exits at once on a second signal while it is closing: %s",
  async (signal, code) => {
    const { child, ended, records, trigger, cwd, stderr } = await listening(`
    import { writeFileSync } from "node:fs";
    export default { "*": () => { writeFileSync("started", ""); return new Promise(() => setInterval(() => {}, 1000)); } };
  `);
    await trigger("payment.received");
    await vi.waitFor(() => expect(existsSync(join(cwd, "started"))).toBe(true), PATIENCE);
    child.kill(signal);
    await vi.waitFor(() => expect(stderr()).toContain("again to stop at once"), PATIENCE);
    // one that follows at once is the first, passed on by another way
    if (signal === "SIGTERM") await sleep(600);
    child.kill(signal);
    expect(await ended).toBe(code);
    expect(stderr().match(/^stopped at once by .*$/gm)).toHaveLength(1);
    expect(records("stopped")).toMatchObject([{ exitCode: code, counts: { accepted: 1 } }]);
    expect(stderr()).not.toContain("process.exit");
  },
);

it("listen refuses new connections while it waits for handlers, which end", async () => {
  const { child, ended, records, trigger, cwd, stderr } = await listening(`
    import { existsSync } from "node:fs";
    const mayEnd = (end) => existsSync("end") ? end() : setTimeout(mayEnd, 50, end);
    export default { "*": () => new Promise(mayEnd) };
  `);
  await trigger("payment.received");
  child.kill("SIGTERM");
  await vi.waitFor(() => expect(stderr()).toContain("again to stop at once"), PATIENCE);
  await vi.waitFor(
    async () => expect((await trigger("lead.created")).stderr).toMatch(/refused/i),
    PATIENCE,
  );
  writeFileSync(join(cwd, "end"), "");
  expect(await ended).toBe(0);
  expect(records("attempt")).toMatchObject([{ runs: [{ outcome: "ok" }] }]);
});

it("listen exits although handlers left something running", async () => {
  const { child, ended, trigger, records } = await listening(
    'export default { "*": () => void setInterval(() => {}, 1000) };',
  );
  await trigger("payment.received");
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(1), PATIENCE);
  child.kill("SIGINT");
  expect(await ended).toBe(0);
});

it("listen survives stray errors, prints and counts each, and runs what it acknowledged", async () => {
  const { child, ended, trigger, records, stderr } = await listening(`
    export default {
      "payment.received": () => { Promise.reject(new Error("left alone")); },
      "payment.overdue": () => { setTimeout(() => { throw new Error("too late"); }, 1); },
      "lead.created": () => { Promise.reject(undefined); },
      "*": () => {},
    };
  `);
  const ran = await trigger("--all");
  expect(ran.code).toBe(0);
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(12), PATIENCE);
  await vi.waitFor(() => expect(stderr()).toContain("too late"), PATIENCE);
  expect(records("attempt").every(({ state }) => state === "handled")).toBe(true);
  child.kill("SIGINT");
  expect(await ended).toBe(0);
  expect(stderr().match(/^error outside any awaited handler: .*$/gm)).toHaveLength(3);
  expect(stderr()).toMatch(
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
  const { child, ended, trigger, records, lines, stderr, cwd } = await listening(PRINTING);
  await trigger("payment.received");
  await vi.waitFor(() => expect(records("attempt")).toHaveLength(1), PATIENCE);
  child.kill("SIGINT");
  await ended;
  expect(lines().map((line) => JSON.parse(line).type)).toEqual([
    "ready",
    "delivery",
    "attempt",
    "stopped",
  ]);
  for (const text of ["while loading", "handler prints", "debug", "info"])
    expect(stderr()).toContain(text);

  const replay = start(["replay", "1"], PRINTING, cwd);
  expect(await replay.ended).toBe(0);
  expect(replay.lines().map((line) => JSON.parse(line).type)).toEqual(["replay"]);
  expect(replay.stderr()).toContain("handler prints");
});

it("replay reports a stray error and exits with 1", async () => {
  const cwd = tempFolder();
  const envelope = {
    event: "lead.created",
    timestamp: "2026-01-01T00:00:00Z",
    data: {},
    webhook: {},
  };
  writeFileSync(
    join(cwd, "one.json"),
    JSON.stringify({ ...envelope, webhook: { id: "wh_1", url: "u" } }),
  );
  const { ended, stderr, records } = start(
    ["replay", "one.json"],
    'export default { "*": () => { Promise.reject(new Error("left alone")); } };',
    cwd,
  );
  expect(await ended).toBe(1);
  expect(records("replay")).toMatchObject([{ state: "handled" }]);
  expect(stderr()).toContain("error outside any awaited handler: left alone");
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
    const { cwd, ended, trigger, records, stderr } = await listening(
      EXITING.replaceAll("CODE", code),
    );
    await trigger("tenant.created");
    await trigger("lead.created");
    await vi.waitFor(() => expect(records("attempt")).toHaveLength(1), PATIENCE);
    await trigger(kind);
    expect(await ended).toBe(1);
    const errors = stderr().match(/^error: .*$/gm) ?? [];
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(`process.exit(${Number(code)}) at ${join(cwd, "h.js")}:`);
    expect(errors[0]).toContain(`next start: #2 lead.created, #3 ${kind}.`);
    expect(records("stopped")).toMatchObject([
      { exitCode: 1, counts: { accepted: 3, handled: 1 } },
    ]);
    expect(records("error")).toMatchObject([{ code: "handler_exited" }]);

    const next = start(
      ["listen", "--port", "0", "--count", "1"],
      'export default { "*": () => {} };',
      cwd,
    );
    await vi.waitFor(() => expect(next.records("attempt")).toHaveLength(2), PATIENCE);
    const ran = next
      .records("attempt")
      .map(({ kind, state, attempt }) => ({ kind, state, attempt }));
    expect(ran).toEqual(
      expect.arrayContaining([
        { kind: "lead.created", state: "handled", attempt: 2 },
        { kind, state: "handled", attempt: 2 },
      ]),
    );
  },
);

it("says that process.exit was called while handlers were loaded, or after they had ended", async () => {
  const loading = start(["listen", "--port", "0"], "process.exit(0);");
  expect(await loading.ended).toBe(1);
  expect(loading.stderr()).toMatch(/^error: .*process\.exit\(0\).* No entry was interrupted/m);
  const later = await listening(
    'export default { "*": () => void setTimeout(() => process.exit(0), 200) };',
  );
  await later.trigger("lead.created");
  expect(await later.ended).toBe(1);
  expect(later.stderr()).toMatch(/^error: .*process\.exit\(0\).* No entry was interrupted/m);
  expect(later.records("stopped")).toMatchObject([
    { exitCode: 1, counts: { accepted: 1, handled: 1 } },
  ]);
});

it("says that a handler of a replay called process.exit, and exits 1", async () => {
  const cwd = tempFolder();
  for (const kind of ["lead.created", "payment.overdue", "tenant.created"]) {
    const envelope = { event: kind, timestamp: "2026-01-01T00:00:00Z", data: {} };
    const webhook = { id: "wh_1", url: "u" };
    writeFileSync(join(cwd, `${kind}.json`), JSON.stringify({ ...envelope, webhook }));
  }
  const files = ["tenant.created.json", "payment.overdue.json", "lead.created.json"];
  const { ended, stderr, records } = start(
    ["replay", ...files],
    EXITING.replaceAll("CODE", "0"),
    cwd,
  );
  expect(await ended).toBe(1);
  expect(records("replay")).toMatchObject([{ label: "tenant.created.json", state: "handled" }]);
  expect(stderr().match(/^error: .*$/gm)).toEqual([
    expect.stringMatching(
      /process\.exit\(0\) at .*h\.js:\d+\. Interrupted: payment\.overdue\.json, after 1 of 3/,
    ),
  ]);
  expect(records("error")).toMatchObject([{ code: "handler_exited" }]);
});
