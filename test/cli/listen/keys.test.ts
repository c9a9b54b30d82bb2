import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { runCli, startCli, tempFolder } from "../fake-io.ts";

const WAIT = { timeout: 40_000, interval: 10 };
const UP = "\u001b[A";
const TERMINAL = { stdin: true, stdout: true, stderr: true };

/** Starts `listen` on a terminal and waits until it accepts keys; it ends with the test. */
async function listening(
  argv: readonly string[] = [],
  env: Record<string, string> = {},
  files: Record<string, string> = {},
) {
  const cwd = tempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const flags = ["--port", "0", "--inspect-port", "0", "--no-color"];
  const listen = startCli(["listen", ...flags, ...argv], { cwd, env, isTTY: TERMINAL });
  onTestFinished(async () => {
    listen.signal("SIGINT");
    await listen.finished;
  });
  await vi.waitFor(() => expect(listen.now().stderr).toContain("? help"), WAIT);
  const url = /Endpoint +(\S+)/.exec(listen.now().stderr)?.[1] ?? "";
  const trigger = (kind: string) => runCli(["trigger", kind, "--url", url], { cwd });
  const shows = (text: string | RegExp, times = 1) =>
    vi.waitFor(
      () => expect(listen.now().stdout.match(new RegExp(text, "g"))?.length ?? 0).toBe(times),
      WAIT,
    );
  const says = (text: string) =>
    vi.waitFor(() => expect(listen.now().stderr).toContain(text), WAIT);
  return { ...listen, cwd, trigger, shows, says };
}

it("q exits like Ctrl-C", async () => {
  const listen = await listening();
  listen.press("q");
  expect(await listen.finished).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("stopped by q: no deliveries"),
  });
  const waiting = await listening(["--count", "1"]);
  waiting.press("q");
  expect((await waiting.finished).code).toBe(130);
});

it("r asks before it sends a handled event again as a new one, and says so if there is none", async () => {
  const handlers = { "handlers.mjs": 'export default { "lead.created": () => {} };' };
  const { press, trigger, shows, says } = await listening(
    ["--handlers", "handlers.mjs"],
    {},
    handlers,
  );
  press("r");
  await says("no event has arrived yet");
  await trigger("lead.created");
  await shows("lead.created .* handled");
  press("r");
  await says("press r again to send it again");
  await shows("lead.created .* handled"); // not yet
  press("r");
  await shows("lead.created .* handled", 2);
});

it("an entry that is selected with the arrows is shown, run again and dropped", async () => {
  const { press, trigger, shows, says, now } = await listening();
  press(UP);
  await says("nothing to select");
  for (const kind of ["lead.created", "payment.received"]) await trigger(kind);
  await shows("payment.received .* received");
  press(UP);
  press(UP);
  await says("▸ #1 lead.created  received");
  press("\r");
  await shows("\nseq +1\n");
  press("r");
  await says("#1 runs again");
  await shows("#1 .* received", 2);
  press("d");
  await says("press d again to drop #1");
  press("d");
  await says("#1 is dropped");
  await says("▸ #1 lead.created  dropped");
  press("\u001b");
  await says("? help");
  press("d");
  await says("select the entry to drop");
  expect(now().stdout).not.toContain("▸"); // the selection is not part of the data
});

it("a question that is not confirmed is forgotten", async () => {
  const { press, trigger, shows, says, now } = await listening();
  await trigger("lead.created");
  await shows("lead.created .* received");
  for (const key of [UP, "d", "?", "d"]) press(key);
  await says("send it again as a new event"); // the help
  await vi.waitFor(() => expect(now().stderr.match(/press d again/g)).toHaveLength(2), WAIT);
  expect(now().stderr).not.toContain("is dropped");
});

it("u prints the addresses again, and ? the keys", async () => {
  const { press, now } = await listening();
  const times = (pattern: RegExp) => now().stderr.match(pattern)?.length ?? 0;
  expect(times(/^http:\/\/\S+\/webhooks$/gm)).toBe(0);
  press("u?");
  await vi.waitFor(() => expect(times(/http:\/\/\S+\/webhooks$/gm)).toBe(2), WAIT);
  expect(times(/#token=/g)).toBe(2);
  expect(now().stderr).toContain("esc     select none");
});

it.skipIf(process.platform !== "linux")(
  "o opens the page through a file for this user only, with no token on a command line",
  async () => {
    const folder = tempFolder();
    writeFileSync(
      join(folder, "xdg-open"),
      '#!/bin/sh\necho "$@" > "$(dirname "$0")/argv.new" && env > "$(dirname "$0")/env" && mv "$(dirname "$0")/argv.new" "$(dirname "$0")/argv"\n',
      { mode: 0o755 },
    );
    const { press, now, signal, finished } = await listening([], {
      PATH: `${folder}:${process.env.PATH}`,
      LANG: "C",
      HOOKPORTER_API_KEY: "sk_hunter2",
    });
    press("o");
    await vi.waitFor(() => expect(existsSync(join(folder, "argv"))).toBe(true), WAIT);
    const file = readFileSync(join(folder, "argv"), "utf8").trim();
    const page = /Inspector +(\S+)/.exec(now().stderr)?.[1] ?? "?";
    expect(file).not.toContain("token");
    const env = readFileSync(join(folder, "env"), "utf8");
    expect(env).toContain("LANG=C");
    expect(env).not.toMatch(/HOOKPORTER_|hunter2/);
    expect(readFileSync(file, "utf8")).toContain(page);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    signal("SIGINT");
    await finished;
    expect(existsSync(file)).toBe(false);
  },
);

it.skipIf(process.platform !== "linux")(
  "o says to open the page by hand if no browser starts",
  async () => {
    const empty = join(tempFolder(), "empty");
    mkdirSync(empty);
    const { press, says } = await listening([], { PATH: empty });
    press("o");
    await says("open the address above yourself");
  },
);

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
    expect(listen.now().stderr).not.toContain("? help");
    listen.signal("SIGINT");
    expect((await listen.finished).stderr).toContain("stopped by SIGINT");
  }
});

it("r says of a running entry that it runs, and sends nothing again", async () => {
  const code =
    'export default { "lead.created": () => new Promise((end) => void (globalThis.endRun = end)) };';
  const flags = ["--handlers", "handlers.mjs"];
  const { press, trigger, shows, says, now } = await listening(flags, {}, { "handlers.mjs": code });
  await trigger("lead.created");
  await shows("lead.created .* accepted");
  for (const key of ["r", "r"]) press(key);
  await says("#1 is running, or has ended meanwhile");
  expect(now().stderr).not.toContain("has been handled");
  (globalThis as { endRun?: () => void }).endRun?.();
  await shows("lead.created .* handled");
});
