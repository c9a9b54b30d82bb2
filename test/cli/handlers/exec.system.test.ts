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
  const goal = ["--count", "1", "--timeout", "20s"];
  const { records, until, said, trigger } = await listening(["--exec", command, ...goal], cwd);
  await trigger("payment.received", "--set", "data.id=pay_7");
  const handler = `exec ${process.execPath}`;
  expect(records("ready")).toMatchObject([{ exec: process.execPath }]);
  const [first] = await until("attempt", [{ runs: [{ handler, outcome: "error" }] }]);
  expect(JSON.stringify(first)).toContain("got exit code 4: the books are closed");
  await said("exec #1: the books are closed");
});

it("a command of listen gets neither our secrets nor those that flags name", async () => {
  const cwd = tempFolder();
  const command = scriptIn(
    cwd,
    'require("fs").writeFileSync("env.json", JSON.stringify(process.env))',
  );
  const env = { HOOKPORTER_SECRET: "own-secret-own-secret", APP_TOKEN: "app-secret", OWN: "kept" };
  const argv = ["--exec", command, "--forward-to", "payment.*=1", "--header-env", "x-a=APP_TOKEN"];
  const { trigger, said } = startListening(argv, { cwd, env });
  await trigger("lead.created");
  await said(/"type":"attempt".*"state":"handled"/);
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
])("listen refuses %j", async (argv, words) => {
  const run = await runCli(["listen", "--port", "0", ...argv], {
    env: { PATH: process.env.PATH ?? "" },
  });
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(words)]);
});

it("events that arrived without a command run with --catch-up", async () => {
  const cwd = tempFolder();
  const plain = await listening([], cwd);
  await plain.trigger("lead.created");
  await plain.stop();
  const { until } = await listening(["--exec", scriptIn(cwd, ""), "--catch-up"], cwd);
  await until("attempt", [{ state: "handled" }]);
});
