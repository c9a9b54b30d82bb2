import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";
import { startListening } from "../listening.ts";
import { listening } from "../open-listen.ts";

const PATIENCE = { timeout: 15_000, interval: 20 };
const windows = process.platform === "win32";

/** A command line that runs a script with Node. */
function scriptIn(cwd: string, script: string): string {
  writeFileSync(join(cwd, "step.cjs"), script);
  return `"${process.execPath}" step.cjs`;
}

it("listen runs a command for each event until it exits with 0", async () => {
  const cwd = tempFolder();
  const command = scriptIn(
    cwd,
    `const { HOOKPORTER_ATTEMPT: attempt } = process.env;
     if (attempt === "1") { console.error("the books are closed"); process.exit(4); }
     require("fs").writeFileSync("got", require("fs").readFileSync(0));
     console.log("booked");`,
  );
  const { records, now, trigger } = await listening(
    ["--exec", command, "--count", "1", "--timeout", "20s"],
    cwd,
  );
  await trigger("payment.received", "--set", "data.id=pay_7");
  await vi.waitFor(() => expect(records("attempt").length).toBeGreaterThan(0), PATIENCE);
  const name = `exec ${process.execPath}`;
  expect(records("ready")).toMatchObject([{ exec: process.execPath }]);
  const [first] = records("attempt");
  expect(first).toMatchObject({ runs: [{ handler: name, outcome: "error" }] });
  expect(JSON.stringify(first)).toContain("got exit code 4: the books are closed");
  expect(now().stderr).toContain("exec #1: the books are closed");
});

it("a command of listen gets neither our secrets nor those that flags name", async () => {
  const cwd = tempFolder();
  const command = scriptIn(
    cwd,
    'require("fs").writeFileSync("env.json", JSON.stringify(process.env))',
  );
  const env = { HOOKPORTER_SECRET: "own-secret-own-secret", APP_TOKEN: "app-secret", OWN: "kept" };
  const { listen, ready } = startListen(
    ["--exec", command, "--forward-to", "payment.*=1", "--header-env", "x-a=APP_TOKEN"],
    cwd,
    env,
  );
  const { localUrl } = await ready();
  await runCli(["trigger", "lead.created", "--url", localUrl.href], { cwd, env });
  await vi.waitFor(
    () => expect(listen.records("attempt")).toMatchObject([{ state: "handled" }]),
    PATIENCE,
  );
  const got = JSON.parse(readFileSync(join(cwd, "env.json"), "utf8"));
  expect(got).toMatchObject({ OWN: "kept", HOOKPORTER_ENTRY: "1" });
  expect(JSON.stringify(got)).not.toMatch(/own-secret|app-secret/);
});

it.skipIf(windows).each(["SIGINT", "SIGKILL"] as const)(
  "a running command ends with listen: %s",
  { timeout: 30_000 },
  async (signal) => {
    const cwd = tempFolder();
    const command = scriptIn(
      cwd,
      'require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)',
    );
    const { listen, ready } = startListen(["--exec", command], cwd);
    const { localUrl } = await ready();
    await runCli(["trigger", "lead.created", "--url", localUrl.href], { cwd, env: SECRET_ENV });
    const pid = await vi.waitFor(() => {
      const found = Number(readFileSync(join(cwd, "pid"), "utf8"));
      expect(found).toBeGreaterThan(0);
      return found;
    }, PATIENCE);
    listen.child.kill(signal);
    if (signal === "SIGINT") {
      // The first one waits for the command, the second one does not.
      await vi.waitFor(() => {
        listen.child.kill(signal);
        expect(listen.child.exitCode).not.toBeNull();
      }, PATIENCE);
    }
    await listen.ended;
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), PATIENCE);
  },
);

const SECRET_ENV = { HOOKPORTER_SECRET: "own-secret-own-secret" };

/** The built `listen` in a process of its own. */
function startListen(
  argv: readonly string[],
  cwd: string,
  env: Record<string, string> = SECRET_ENV,
) {
  const listen = startListening(argv, { cwd, env });
  return { listen, ready: listen.ready };
}

it.each([
  [["--exec", "no-such-program-here --flag"], "PATH"],
  [["--exec", "./missing.sh"], "no executable file"],
  [["--exec", "sh -c 'open"], "quote"],
  [["--exec", "sh", "--sync", "--forward-to", "1"], "--exec"],
])("listen refuses %j", async (argv, words) => {
  const run = await runCli(["listen", "--port", "0", ...argv], {
    env: { PATH: process.env.PATH ?? "" },
  });
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(words)]);
});

it("events that arrived without a command run with --catch-up", async () => {
  const cwd = tempFolder();
  const plain = await listening([], cwd);
  await runCli(["trigger", "lead.created", "--url", plain.url], { cwd });
  await plain.stop();
  const { records } = await listening(["--exec", scriptIn(cwd, ""), "--catch-up"], cwd);
  await vi.waitFor(
    () => expect(records("attempt")).toMatchObject([{ state: "handled" }]),
    PATIENCE,
  );
});
