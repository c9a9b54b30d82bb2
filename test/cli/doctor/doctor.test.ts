import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import { findIn } from "../../../src/cli/doctor/doctor.ts";
import { ok, splitFix } from "../../../src/cli/doctor/finding.ts";
import { openSetup } from "../../../src/cli/doctor/setup.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { isAtLeast } from "../../../src/package/node-version.ts";
import { root } from "../../docs/markdown.ts";
import { AT, claimOne, keep, numberedEntry, settlementOf } from "../../inbox/entries.ts";
import { closedPort } from "../../tunnel/machine.ts";
import { fakeIo, runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";
import { changeInbox, diagnose, GOOD_SECRET, openPlace, writeEnvFile } from "./place.ts";

it("doctor finds a receiver of this inbox on its port while it runs, and nothing wrong", async () => {
  const place = await openPlace();
  const { url, records } = await listening(["--no-inspect"], place.cwd);
  place.argv.push("--port", new URL(url).port);
  const { code, findings, wrong } = await diagnose(place);
  expect({ code, wrong }).toEqual({ code: 0, wrong: [] });
  expect(findings.find(({ check }) => check === "port")?.message).toContain(
    "a receiver answers there, and this inbox is in use",
  );
  expect(records("delivery"), "doctor's own request").toEqual([]);
  expect(findings.find(({ check }) => check === "processes")?.message).toMatch(
    /^1 process uses the inbox: role both, version /,
  );
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

it("the program looks at a large inbox file in another process, and the file stays as it is", async () => {
  const { cwd, inbox, env, argv } = await openPlace();
  changeInbox(
    inbox,
    `INSERT INTO entry (seq, key_timestamp, event_id, source, state, reason, received_at, run_at, last_seen_at, body_hash, body_length)
       VALUES (1, 0, 'e', 's', 'dead', 'invalid_data', 0, 0, 0, '', 0);
     INSERT INTO delivery VALUES (1, 'POST', '/', '{}', zeroblob(70000000))`,
  );
  const program = [join(root, "dist", "bin.js"), "doctor", "--json", ...argv];
  const { stdout, stderr, status } = spawnSync(process.execPath, program, {
    cwd,
    env,
    encoding: "utf8",
  });
  const found = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  expect(
    found.filter((one) => one.status === "warn").map(({ message }) => message),
    stderr,
  ).toEqual(["1 dead letter"]);
  expect(found.find(({ check }) => check === "content").message).toMatch(
    /^not damaged, schema \d, 6\d\.\d MiB/,
  );
  expect(status).toBe(0);
});

it.skipIf(process.getuid?.() !== 0)(
  "a folder of another user is one finding, with the owner",
  async () => {
    const { cwd, argv } = await openPlace();
    chmodSync(cwd, 0o755);
    const program = [join(root, "dist", "bin.js"), "doctor", ...argv];
    const env = { PATH: process.env.PATH, HOOKPORTER_SECRET: GOOD_SECRET };
    rmSync(join(cwd, ".env"));
    const nobody = { uid: 65_534, gid: 65_534 };
    const { stdout } = spawnSync(process.execPath, program, {
      cwd,
      env,
      encoding: "utf8",
      ...nobody,
    });
    expect(stdout.match(/^(?:warn|fail) .*/gm)).toEqual([
      expect.stringMatching(/^fail +inbox +could not use .*inbox\.db: permission denied$/),
    ]);
    expect(stdout).toContain("belongs to root");
  },
);

it("entries that were dropped on purpose are no dead letters", async () => {
  const place = await openPlace();
  const inbox = sqliteInbox(place.inbox);
  await inbox.open();
  await keep(inbox, numberedEntry(1));
  expect(await inbox.drop({}, Date.now())).toBe(1);
  await inbox.close();
  expect((await diagnose(place)).wrong).toEqual([]);
});

it("an entry that has failed is a warning, and one that was not tried yet is none", async () => {
  const place = await openPlace();
  const inbox = sqliteInbox(place.inbox);
  await inbox.open();
  await keep(inbox, numberedEntry(1, Date.now() - AT));
  const entry = await claimOne(inbox, Date.now());
  const failed = { state: "failing", runAt: Date.now() + 60_000 } as const;
  await inbox.settle(settlementOf(entry, failed), Date.now());
  await keep(inbox, numberedEntry(2, Date.now() - AT));
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
  const { findings } = await diagnose(place);
  expect(findings.find(({ check }) => check === "processes")?.message).toBe(
    "no process uses the inbox now",
  );
});

it("a folder without a setup has nothing wrong, and stays empty", async () => {
  const place = {
    cwd: tempFolder(),
    inbox: "",
    env: {},
    argv: ["--port", String(await closedPort())],
  };
  expect(await diagnose(place)).toMatchObject({ code: 0, wrong: [] });
});

it("doctor takes the settings of listen, and its own section wins", async () => {
  const place = await openPlace();
  place.argv.length = 0;
  const listens = await closedPort();
  const own = await closedPort();
  const portOf = async () =>
    (await diagnose(place)).findings.find(({ check }) => check === "port")?.message;
  const write = (config: object) =>
    writeFileSync(join(place.cwd, "hookporter.config.json"), JSON.stringify(config));
  write({ listen: { port: listens, timeout: "5s" } });
  expect(await portOf()).toBe(`${listens} is free`);
  write({ listen: { port: listens }, doctor: { port: own } });
  expect(await portOf()).toBe(`${own} is free`);
  place.env.HOOKPORTER_LISTEN_PORT = "0";
  expect(await portOf()).toBe("any free port");
});

it("a project's server may be the target of its listen", async () => {
  const place = await openPlace();
  const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  place.argv.length = 0;
  const config = { project: { port }, forwardTo: [`${port}/webhooks`] };
  const write = (given: object) =>
    writeFileSync(join(place.cwd, "hookporter.config.json"), JSON.stringify(given));
  write(config);
  const messageOf = async (name: string) =>
    (await diagnose(place)).findings.find(({ check }) => check === name)?.message;
  expect(await messageOf("target")).toMatch(/ answers \(200 to OPTIONS\)$/);
  // That handles nothing of what the server receives.
  expect(await messageOf("handlers")).toMatch(/^not looked at/);
  writeFileSync(join(place.cwd, "handlers.mjs"), 'export default { "payment.*": () => {} };');
  write({ ...config, project: { port, handlers: "handlers.mjs" } });
  expect(await messageOf("handlers")).toMatch(/^no handler or target for \d+ of the 12 kinds/);
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

describe("on a terminal of 80 columns", () => {
  it("long lines are wrapped below their beginning, and in a pipe they are not", async () => {
    const { cwd, argv } = await openPlace();
    const folder = join(cwd, "a-folder-with-a-long-name", "and-another-one-below-it");
    const flags = [
      "doctor",
      "--no-color",
      ...argv,
      "--inbox",
      folder,
      "--forward-to",
      "http://127.0.0.1:1/in",
    ];
    const shown = await runCli(flags, { cwd, isTTY: { stdout: true } });
    const lines = shown.stdout.trimEnd().split("\n");
    expect(
      Math.max(...lines.filter((line) => !line.includes(folder)).map((line) => line.length)),
    ).toBeLessThan(81);
    expect(lines.filter((line) => line.startsWith(" ".repeat(19))).length).toBeGreaterThan(1);
    const piped = (await runCli(flags, { cwd })).stdout.trimEnd().split("\n");
    expect(
      piped.filter((line) => !/^(?:ok|warn|fail) {2,4}\w| {19}fix: |^\d+ ok, /.test(line)),
    ).toEqual([]);
    expect(piped.at(-1)).toMatch(/^\d+ ok, 0 warn, 1 fail$/);
  });
});

describe("a check", () => {
  const setup = () => {
    const { io } = fakeIo({});
    return openSetup({}, createContext(io));
  };

  it("that hangs is cut off after its time, and said so", async () => {
    const hangs = { name: "slow", timeLimit: 5, run: () => new Promise<never>(() => {}) };
    const [finding] = await findIn(hangs, setup());
    expect(finding).toMatchObject({ status: "warn" });
    expect(finding?.message).toBe("the check was cut off after 0.005 s without a result");
  });

  it("that throws is a finding, with the fix of the error", async () => {
    const throws = {
      name: "x",
      run: () => {
        throw new Error("expected one, got none: add one");
      },
    };
    expect(await findIn(throws, setup())).toEqual([
      { status: "fail", message: "expected one, got none", fix: "add one" },
    ]);
    expect(await findIn({ name: "x", run: () => [ok("fine")] }, setup())).toEqual([ok("fine")]);
  });
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

it.each([
  ["20.19.0", "20.19", true],
  ["20.18.9", "20.19", false],
  ["26.0.0", "20.19", true],
  ["18.20.0", "20.19", false],
  ["20.19.0-nightly", "20.19.0", true],
])("version %s is at least %s: %s", (version, oldest, is) => {
  expect(isAtLeast(version, oldest)).toBe(is);
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
