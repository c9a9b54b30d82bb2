import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { DEFAULT_INBOX } from "../../../src/cli/files/state-folder.ts";
import { EXEC_VARIABLES } from "../../../src/cli/handlers/exec-command.ts";
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
  const goal = ["--count", "1", "--timeout", "20s"];
  const { records, until, said, trigger } = await listening(["--exec", command, ...goal], cwd);
  await trigger("payment.received", "--set", "data.id=pay_7");
  const handler = `exec ${process.execPath}`;
  expect(records("ready")).toMatchObject([{ exec: process.execPath }]);
  const [first] = await until("attempt", [{ runs: [{ handler, outcome: "error" }] }]);
  expect(JSON.stringify(first)).toContain("got exit code 4: the books are closed");
  await said("exec #1: the books are closed");
});

it("a command of listen gets its event in variables, and neither our secrets nor those that flags name", async () => {
  const cwd = tempFolder();
  const command = scriptIn(
    cwd,
    'require("fs").writeFileSync("env.json", JSON.stringify(process.env))',
  );
  const env = { HOOKPORTER_SECRET: "own-secret-own-secret", APP_TOKEN: "app-secret", OWN: "kept" };
  const argv = ["--exec", command, "--forward-to", "payment.*=1", "--header-env", "x-a=APP_TOKEN"];
  const { ready, said } = startListening(argv, { cwd, env });
  const url = `${(await ready()).localUrl}?code=hunter2`;
  await runCli(["trigger", "lead.created", "--url", url], { cwd, env });
  await said(/"type":"attempt".*"state":"handled"/);
  const got = JSON.parse(readFileSync(join(cwd, "env.json"), "utf8"));
  expect(got).toMatchObject({
    OWN: "kept",
    HOOKPORTER_EVENT_ID: expect.stringMatching(/^evt_1_/),
    HOOKPORTER_EVENT_KIND: "lead.created",
    HOOKPORTER_EVENT_TIMESTAMP: expect.stringMatching(/Z$/),
    HOOKPORTER_ENTRY: "1",
    HOOKPORTER_ATTEMPT: "1",
    HOOKPORTER_DELIVERY_PATH: "/webhooks",
    HOOKPORTER_INBOX: join(cwd, DEFAULT_INBOX),
  });
  const ours = Object.keys(got).filter((name) => name.startsWith("HOOKPORTER_"));
  expect(ours.sort()).toEqual([...EXEC_VARIABLES].sort());
  expect(JSON.stringify(got)).not.toMatch(/own-secret|app-secret|hunter2/);
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
    const listen = startListening(["--exec", command], { cwd });
    await listen.trigger("lead.created");
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

it.each([
  [["--exec", "no-such-program-here --flag"], "PATH"],
  [["--exec", "./missing.sh"], "no executable file"],
  [["--exec", "sh -c 'open"], "quote"],
  [["--exec", "sh", "--sync", "--forward-to", "1"], "--exec"],
  [["--on-dead", "no-such-program-here --flag"], "expected --on-dead to begin with a program"],
  [["--on-dead", "sh -c 'open"], "quote"],
])("listen refuses %j before it opens anything", async (argv, words) => {
  const cwd = tempFolder();
  const env = { PATH: process.env.PATH ?? "" };
  const run = await runCli(["listen", "--port", "0", ...argv], { cwd, env });
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(words)]);
  expect(existsSync(join(cwd, DEFAULT_INBOX))).toBe(false);
});
