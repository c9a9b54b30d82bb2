import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { startCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { listeningForPeople } from "../open-listen.ts";

const WAIT = { timeout: 40_000, interval: 10 };
const UP = "\u001b[A";
const TERMINAL = { stdin: true, stdout: true, stderr: true };

/** Starts `listen` on a terminal and waits until it accepts keys; it ends with the test. */
async function onTerminal(
  argv: readonly string[] = [],
  env: Record<string, string> = {},
  files: Record<string, string> = {},
) {
  const cwd = folderWith(files);
  const flags = ["--inspect-port", "0", "--no-color"];
  const listen = await listeningForPeople([...flags, ...argv], { cwd, env, isTTY: TERMINAL });
  await listen.says(/\? help/);
  /** Waits until standard output has a text this often. */
  const shows = (text: string, times = 1) =>
    vi.waitFor(
      () => expect(listen.stdout().match(new RegExp(text, "g"))?.length ?? 0).toBe(times),
      WAIT,
    );
  return { ...listen, shows };
}

it("q exits like Ctrl-C", async () => {
  const listen = await onTerminal();
  listen.press("q");
  expect(await listen.finished).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("stopped by q: no deliveries"),
  });
  const waiting = await onTerminal(["--count", "1"]);
  waiting.press("q");
  expect((await waiting.finished).code).toBe(130);
});

it("r asks before it sends a handled event again as a new one, and says so if there is none", async () => {
  const handlers = { "handlers.mjs": 'export default { "lead.created": () => {} };' };
  const { press, trigger, shows, says } = await onTerminal(
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

it("an entry that is selected with the arrows is shown, run again and dropped, if it is asked for twice", async () => {
  const { press, trigger, shows, says, now } = await onTerminal();
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
  press("d?d"); // another key in between forgets the question
  await says("send it again as a new event"); // the help
  await vi.waitFor(() => expect(now().stderr.match(/press d again to drop #1/g)).toHaveLength(2));
  expect(now().stderr).not.toContain("is dropped");
  press("d");
  await says("#1 is dropped");
  await says("▸ #1 lead.created  dropped");
  press("\u001b");
  await says(/\? help/);
  press("d");
  await says("select the entry to drop");
  expect(now().stdout).not.toContain("▸"); // the selection is not part of the data
});

it("u prints the addresses again, and ? the keys", async () => {
  const { press, now } = await onTerminal();
  const times = (pattern: RegExp) => now().stderr.match(pattern)?.length ?? 0;
  expect(times(/^http:\/\/\S+\/webhooks$/gm)).toBe(0);
  press("u?");
  await vi.waitFor(() => expect(times(/http:\/\/\S+\/webhooks$/gm)).toBe(2), WAIT);
  expect(times(/\.localhost:\d+\/#token=/g)).toBe(2);
  expect(times(/127\.0\.0\.1:\d+\/#token=/g)).toBe(2);
  expect(now().stderr).toContain("esc     select none");
});

it.skipIf(process.platform !== "linux")(
  "o opens the page through a file for this user only, with no token on a command line, or says to open it by hand",
  async () => {
    const folder = tempFolder();
    const program = `#!/bin/sh
cd "$(dirname "$0")" && echo "$@" > argv.new && env > env && mv argv.new argv
`;
    writeFileSync(join(folder, "xdg-open"), program, { mode: 0o755 });
    const { press, now, signal, finished } = await onTerminal([], {
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
    const without = await onTerminal([], { PATH: tempFolder() });
    without.press("o");
    await without.says("open the address above yourself");
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
  const { press, trigger, shows, says, now } = await onTerminal(
    flags,
    {},
    { "handlers.mjs": code },
  );
  await trigger("lead.created");
  await shows("lead.created .* accepted");
  for (const key of ["r", "r"]) press(key);
  await says("#1 is running, or has ended meanwhile");
  expect(now().stderr).not.toContain("has been handled");
  (globalThis as { endRun?: () => void }).endRun?.();
  await shows("lead.created .* handled");
});
