import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { runCli, startCli, tempFolder } from "../fake-io.ts";

const WAIT = { timeout: 10_000, interval: 10 };
const TERMINAL = { stdin: true, stdout: true, stderr: true };

/** Starts `listen` on a terminal and waits until it accepts keys; it ends with the test. */
async function listening(argv: readonly string[] = [], env: Record<string, string> = {}) {
  const cwd = tempFolder();
  const flags = ["--port", "0", "--inspect-port", "0", "--no-color"];
  const listen = startCli(["listen", ...flags, ...argv], { cwd, env, isTTY: TERMINAL });
  onTestFinished(async () => {
    listen.signal("SIGINT");
    await listen.finished;
  });
  await vi.waitFor(() => expect(listen.now().stderr).toMatch(/^keys: .*$/m), WAIT);
  const url = /Endpoint +(\S+)/.exec(listen.now().stderr)?.[1] ?? "";
  const trigger = (kind: string) => runCli(["trigger", kind, "--url", url], { cwd });
  const shows = (text: string | RegExp, times = 1) =>
    vi.waitFor(() => expect(listen.now().stdout.match(new RegExp(text, "g"))?.length ?? 0).toBe(times), WAIT);
  const says = (text: string) => vi.waitFor(() => expect(listen.now().stderr).toContain(text), WAIT);
  return { ...listen, cwd, trigger, shows, says };
}

it("q exits like Ctrl-C", async () => {
  const listen = await listening();
  listen.press("q");
  expect(await listen.finished).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("stopped by q: no deliveries"),
  });
  const waiting = await listening(["--once"]);
  waiting.press("q");
  expect((await waiting.finished).code).toBe(130);
});

it("p holds lines back, and shows them on resume", async () => {
  const { press, trigger, shows, says, now } = await listening();
  press("p");
  await says("paused");
  await trigger("lead.created");
  expect(now().stdout).toBe("");
  press("p");
  await shows("lead.created .* received");
});

it("f shows only matching lines, and all lines with an empty filter", async () => {
  const { press, trigger, shows, says, now } = await listening();
  press("fPAYX\u007fMENT.\r");
  await says('showing lines that contain "PAYMENT."');
  await trigger("lead.created");
  await trigger("payment.received");
  await shows("payment.received .* received");
  expect(now().stdout).not.toContain("lead.created");
  press("fq\u001b"); // cancelled: nothing changes, and q was only typed
  await trigger("contact.created");
  press("f\r");
  await says("showing all");
  await trigger("tenant.created");
  await shows("tenant.created .* received");
  expect(now().stdout).not.toContain("contact.created");
});

it("r replays the last delivery as a new event, and reports if there is none", async () => {
  const { press, trigger, shows, says } = await listening();
  press("r");
  await says("no delivery has arrived yet");
  await trigger("lead.created");
  await shows("lead.created .* received");
  press("r");
  await shows("lead.created .* received", 2);
});

it.skipIf(process.platform !== "linux")(
  "o opens the page through a file for this user only, with no token on a command line",
  async () => {
    const folder = tempFolder();
    writeFileSync(
      join(folder, "xdg-open"),
      '#!/bin/sh\necho "$@" > "$(dirname "$0")/argv.new" && mv "$(dirname "$0")/argv.new" "$(dirname "$0")/argv"\n',
      { mode: 0o755 },
    );
    const { press, now, signal, finished } = await listening([], { PATH: `${folder}:${process.env.PATH}` });
    press("o");
    await vi.waitFor(() => expect(existsSync(join(folder, "argv"))).toBe(true), WAIT);
    const file = readFileSync(join(folder, "argv"), "utf8").trim();
    const page = /Inspector +(\S+)/.exec(now().stderr)?.[1] ?? "?";
    expect(file).not.toContain("token");
    expect(readFileSync(file, "utf8")).toContain(page);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    signal("SIGINT");
    await finished;
    expect(existsSync(file)).toBe(false);
  },
);

it.skipIf(process.platform !== "linux")("o says to open the page by hand if no browser starts", async () => {
  const empty = join(tempFolder(), "empty");
  mkdirSync(empty);
  const { press, says } = await listening([], { PATH: empty });
  press("o");
  await says("open the address above yourself");
});

it("there are no keys if input or output is piped, output is NDJSON, or the secret comes from standard input", async () => {
  for (const [isTTY, argv] of [
    [{ ...TERMINAL, stdin: false }, []],
    [{ ...TERMINAL, stdout: false }, []],
    [TERMINAL, ["--json"]],
    [TERMINAL, ["--secret-stdin"]],
  ] as const) {
    const options = { isTTY, stdin: "a secret that is long enough" };
    const listen = startCli(["listen", "--port", "0", "--no-inspect", ...argv], options);
    await vi.waitFor(() => expect(listen.now().stderr).toContain("Try it in this folder"), WAIT);
    listen.press("q");
    expect(listen.now().stderr).not.toContain("keys:");
    listen.signal("SIGINT");
    expect((await listen.finished).stderr).toContain("stopped by SIGINT");
  }
});
