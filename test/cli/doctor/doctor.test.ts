import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import { findIn } from "../../../src/cli/doctor/doctor.ts";
import { ok, splitFix } from "../../../src/cli/doctor/finding.ts";
import { openSetup } from "../../../src/cli/doctor/setup.ts";
import { DEFAULT_INBOX } from "../../../src/cli/files/state-folder.ts";
import { root } from "../../docs/markdown.ts";
import { AT, claimOne, keep, numberedEntry, settlementOf } from "../../inbox/entries.ts";
import { closedPort } from "../../relay/tunnel/machine.ts";
import { consentTo } from "../consent.ts";
import { fakeIo, runCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";
import { inboxFolder } from "../inbox-folder.ts";
import { listening } from "../open-listen.ts";
import {
  addRow,
  changeInbox,
  diagnose,
  GOOD_SECRET,
  openPlace,
  type Place,
  writeEnvFile,
} from "./place.ts";

it("doctor finds a receiver of this inbox on its port while it runs, and nothing wrong", async () => {
  const place = await openPlace();
  const { url, records } = await listening(["--no-inspect"], place.cwd);
  place.argv.push("--port", new URL(url).port);
  const { code, of, wrong } = await diagnose(place);
  expect({ code, wrong }).toEqual({ code: 0, wrong: [] });
  expect(of("port")[0]).toContain("a receiver answers there, and this inbox is in use");
  expect(records("delivery"), "doctor's own request").toEqual([]);
  expect(of("processes")[0]).toMatch(/^1 process uses the inbox: role both, version /);
});

it("the findings come in the same order each time, with counts after them", async () => {
  const { cwd, argv } = await openPlace();
  const { records } = await runCli(["doctor", "--json", ...argv], { cwd });
  expect(records.map(({ type, check }) => check ?? type)).toEqual([
    "node",
    "sqlite",
    "secret",
    "env file",
    "inbox",
    "disk",
    "content",
    "processes",
    "entries",
    "port",
    "handlers",
    "doctor",
  ]);
  expect(records.at(-1)).toMatchObject({ ok: 11, warn: 0, fail: 0, exitCode: 0 });
});

/** The built program's `doctor`, in another process. */
function program({ cwd, argv, env }: Place, more: SpawnSyncOptions = {}) {
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(root, "dist", "bin.js"), "doctor", ...argv],
    { cwd, env, encoding: "utf8", ...more },
  );
  return { stdout: String(stdout), status };
}

it("the program looks at a large inbox file in another process, and the file stays as it is", async () => {
  const place = await openPlace();
  addRow(place, { state: "dead", reason: "invalid_data" });
  const large = "INSERT INTO delivery VALUES (1, 'POST', '/', '{}', zeroblob(70000000))";
  changeInbox(place.inbox, large);
  const { stdout, status } = program(place);
  expect(stdout.match(/^warn .*/gm)).toEqual([expect.stringMatching(/ 1 dead letter$/)]);
  expect(stdout).toMatch(/^ok +content +not damaged, schema \d, 6\d\.\d MiB/m);
  expect(status).toBe(0);
});

it.skipIf(process.getuid?.() !== 0)(
  "a folder of another user is one finding, with the owner",
  async () => {
    const place = await openPlace();
    chmodSync(place.cwd, 0o755);
    rmSync(join(place.cwd, ".env"));
    place.env.HOOKPORTER_SECRET = GOOD_SECRET;
    const { stdout } = program(place, { uid: 65_534, gid: 65_534 });
    expect(stdout.match(/^(?:warn|fail) .*/gm)).toEqual([
      expect.stringMatching(/^fail +inbox +could not use .*inbox\.db: permission denied$/),
    ]);
    expect(stdout).toContain("belongs to root");
  },
);

it("an entry that has failed is a warning, and one that was not tried yet or was dropped is none", async () => {
  const place = await openPlace();
  const { inbox } = await inboxFolder(DEFAULT_INBOX, place.cwd);
  await keep(inbox, numberedEntry(1));
  expect(await inbox.drop({}, Date.now())).toBe(1);
  expect((await diagnose(place)).of("entries")).toEqual(["0 unfinished entries, no dead letters"]);
  await keep(inbox, numberedEntry(2, Date.now() - AT));
  const failed = { state: "failing", runAt: Date.now() + 60_000 } as const;
  await inbox.settle(settlementOf(await claimOne(inbox, Date.now()), failed), Date.now());
  await keep(inbox, numberedEntry(3, Date.now() - AT));
  await inbox.close();
  expect((await diagnose(place)).wrong).toMatchObject([
    { status: "warn", check: "entries", message: "1 entry has failed, and will be tried again" },
  ]);
});

it("an inbox of an older version is one finding, with the way to bring it up to date", async () => {
  const place = await openPlace();
  changeInbox(place.inbox, "UPDATE migration SET version = 0");
  expect((await diagnose(place)).wrong).toMatchObject([
    {
      status: "warn",
      check: "content",
      message: expect.stringMatching(/has schema 0 of an older version, this one has 1/),
      fix: expect.stringMatching(/start listen or your server once/),
    },
  ]);
});

it("a process that was killed does not count, though it is still registered", async () => {
  const place = await openPlace();
  changeInbox(
    place.inbox,
    "INSERT INTO runner VALUES ('0a', 0, '1.0.0', 'both', '[\"service\"]', '[\"*\"]')",
  );
  expect((await diagnose(place)).of("processes")).toEqual(["no process uses the inbox now"]);
});

it("a folder without a setup has nothing wrong, and stays empty", async () => {
  const cwd = tempFolder();
  const argv = ["--port", String(await closedPort())];
  const found = await diagnose({ cwd, inbox: "", env: {}, argv });
  expect(found).toMatchObject({ code: 0, wrong: [] });
  expect(readdirSync(cwd)).toEqual([]);
});

it("doctor takes the settings of listen, and its own section wins", async () => {
  const place = await openPlace();
  place.argv.length = 0;
  const listens = await closedPort();
  const own = await closedPort();
  const portOf = async () => (await diagnose(place)).of("port")[0];
  const write = (config: object) => folderWith({ "hookporter.config.json": config }, place.cwd);
  write({ listen: { port: listens, timeout: "5s" } });
  expect(await portOf()).toBe(`${listens} is free`);
  write({ listen: { port: listens }, doctor: { port: own } });
  expect(await portOf()).toBe(`${own} is free`);
  place.env.HOOKPORTER_LISTEN_PORT = "0";
  expect(await portOf()).toBe("any free port");
});

it("a project's server may be the target of its listen", async () => {
  const place = await openPlace();
  const { port } = new URL((await startReceiving()).url);
  place.argv.length = 0;
  const config = { project: { port }, forwardTo: [`${port}/webhooks`] };
  folderWith({ "hookporter.config.json": config }, place.cwd);
  const { of } = await diagnose(place);
  expect(of("target")[0]).toMatch(/ answers \(200 to OPTIONS\)$/);
  // That handles nothing of what the server receives.
  expect(of("handlers")[0]).toMatch(/^not looked at/);
  const project = { port, handlers: "handlers.mjs" };
  const handlers = 'export default { "payment.*": () => {} };';
  const files = { "handlers.mjs": handlers, "hookporter.config.json": { ...config, project } };
  folderWith(files, place.cwd);
  Object.assign(place.env, await consentTo(place.cwd));
  expect((await diagnose(place)).of("handlers")[0]).toMatch(
    /^no handler or target for \d+ of the 12 kinds/,
  );
});

it("doctor never shows a secret", async () => {
  const place = await openPlace();
  writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\nHOOKPORTER_API_KEY=sk_test_hush\n`);
  place.env.HOOKPORTER_SECRET = "another-secret-that-is-long-enough";
  const { cwd, env, argv } = place;
  for (const flags of [[], ["--json"], ["--debug"]]) {
    const { stdout, stderr } = await runCli(["doctor", ...flags, ...argv], { cwd, env });
    expect(stdout).toMatch(/HOOKPORTER_SECRET in the environment \([0-9a-f]{8}\) is used/);
    expect(stdout + stderr).not.toMatch(new RegExp(`${GOOD_SECRET}|another-secret|sk_test`));
  }
});

it("on a terminal of 80 columns, long lines are wrapped below their beginning, and in a pipe they are not", async () => {
  const { cwd, argv } = await openPlace();
  const folder = join(cwd, "a-folder-with-a-long-name", "and-another-one-below-it");
  const far = ["--inbox", folder, "--forward-to", "http://127.0.0.1:1/in"];
  const flags = ["doctor", "--no-color", ...argv, ...far];
  const shown = await runCli(flags, { cwd, isTTY: { stdout: true } });
  const lines = shown.stdout.trimEnd().split("\n");
  for (const line of lines) if (!line.includes(folder)) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines.filter((line) => line.startsWith(" ".repeat(19))).length).toBeGreaterThan(1);
  const piped = (await runCli(flags, { cwd })).stdout.trimEnd().split("\n");
  for (const line of piped) expect(line).toMatch(/^(?:ok|warn|fail) {2,4}\w| {19}fix: |^\d+ ok, /);
  expect(piped.at(-1)).toMatch(/^\d+ ok, 0 warn, 1 fail$/);
});

it("a check that hangs is cut off after its time, and one that throws is a finding, with the fix of the error", async () => {
  const setup = openSetup({}, createContext(fakeIo({}).io));
  const hangs = { name: "slow", timeLimit: 5, run: () => new Promise<never>(() => {}) };
  expect(await findIn(hangs, setup)).toMatchObject([
    { status: "warn", message: "the check was cut off after 0.005 s without a result" },
  ]);
  const throws = {
    name: "x",
    run: () => {
      throw new Error("expected one, got none: add one");
    },
  };
  expect(await findIn(throws, setup)).toEqual([
    { status: "fail", message: "expected one, got none", fix: "add one" },
  ]);
  expect(await findIn({ name: "x", run: () => [ok("fine")] }, setup)).toEqual([ok("fine")]);
});

it.each([
  ["expected a: b, got c: do d", "expected a: b, got c", "do d"],
  [
    "refused: nothing listens; start the app: now",
    "refused: nothing listens",
    "start the app: now",
  ],
  ["only words", "only words", undefined],
])("the fix of %j is its last part", (text, message, fix) => {
  expect(splitFix(text)).toEqual({ message, fix });
});

it.skipIf(process.platform !== "linux")(
  "an inbox in /proc is named, where not even root can make a file",
  async () => {
    const { records } = await runCli(["doctor", "--inbox", "/proc/hookporter/inbox.db", "--json"]);
    expect(records).toContainEqual(
      expect.objectContaining({
        check: "inbox",
        status: "fail",
        message: expect.stringContaining("/proc is the kernel's"),
      }),
    );
  },
);
