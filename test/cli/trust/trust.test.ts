import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { WIDENING_FLAGS, widens } from "../../../src/cli/trust/widening.ts";
import { SECRET } from "../../receiver/sample.ts";
import { commands } from "../all-commands.ts";
import { consentTo } from "../consent.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

const CONFIG = "hookporter.config.json";
const ELSEWHERE = "https://elsewhere.invalid";
const env = { HOOKPORTER_SECRET: SECRET, HOOKPORTER_API_KEY: "sk_test_of_the_environment" };

/** Flags that a folder's files may set as they like: none says who gets something, or what runs. */
const HARMLESS: ReadonlySet<string> = new Set(
  `after again all allow answerTimeout attempts body catchUp check concurrency count deadLetters
  deliveriesOlderThan debug delay diff domain drill drop dropped dryRun duplicate duplicates enums
  events exact expect explain failFast fields fieldsSeparator follow format forwardHost forwardTimeout
  forwardWhere future giveUp group handler header healthPort inspect inspectPort into json keep kill
  kills kind like limit list listen maxFailures maxForwards maxTime merge name noSignature olderThan only
  orderBy outage page pageParameter path perPage perPageParameter port print properties quiet rate
  rateLimit report resume retry retryDelay role salvage secretEncoding secretStdin seed set
  settle shapes shuffle signature signatureHeader since skip source sshIdentity sshRemotePort stale
  state strict subscribe sync tamper target template timeout tunnelUrlPattern unknownKind until vary
  verbose wait waitFor where withSamples wrongSignature`.split(/\s+/),
);

it("each flag either needs consent in a folder's file or is known to be harmless", () => {
  const flags = new Set(
    commands.flatMap(([, { options }]) => options).map((o) => o.attributeName()),
  );
  for (const flag of flags)
    expect([HARMLESS.has(flag), WIDENING_FLAGS.has(flag)].filter(Boolean), flag).toHaveLength(1);
  expect([...WIDENING_FLAGS].filter((flag) => !flags.has(flag))).toEqual([]);
});

it.each<[flag: string, widening: readonly string[], harmless: readonly string[]]>([
  [
    "forwardTo",
    [ELSEWHERE, "10.0.0.7:80", "payment.*=app.test:3000", "http://[::2]/", "?"],
    ["3000", "localhost:3000", "payment.*=3001/x", "http://127.0.0.1/", "http://[::1]:1/?to=a.b"],
  ],
  ["publicUrl", [ELSEWHERE], ["http://127.0.0.1:4400"]],
  ["baseUrl", [ELSEWHERE, "http://127.0.0.1:4500"], []],
  [
    "inbox",
    [
      "postgres://app@db.invalid/app",
      "postgresql://app@localhost/app?host=10.0.0.7",
      "postgres://a,b/c",
      "../x.db",
      "/etc/x.db",
      "out/x.db",
      "dangling.db",
      "gone/../../x.db",
    ],
    ["data/inbox.db", "memory:", "postgres://app@localhost/app", "postgres:///app", "in/x.db"],
  ],
  ["saveDir", ["..", "/tmp", "out", "out/deeper/new"], ["recorded", "a/b/c", "..recorded", "in"]],
  ["data", ["@/etc/passwd", "@../x.json"], ['{"a":"@/etc"}', "@body.json"]],
  ["insecure", ["true", "1"], ["false", "0"]],
  ["handlers", ["handlers/", "0", "false"], []],
  ["exec", ["0", "false", "date"], []],
  ["secretEnv", ["AWS_KEY", "HOOKPORTER_A,AWS_KEY"], ["HOOKPORTER_A,HOOKPORTER_B"]],
  ["timeout", [], ["5s"]],
])("%s needs consent for %j, and not for %j", (flag, widening, harmless) => {
  const folder = tempFolder();
  mkdirSync(join(folder, "inside"));
  symlinkSync(tempFolder(), join(folder, "out"));
  symlinkSync("inside", join(folder, "in"));
  symlinkSync("/nowhere/inbox.db", join(folder, "dangling.db"));
  for (const value of widening) expect(widens(flag, value, folder), value).toBe(true);
  for (const value of harmless) expect(widens(flag, value, folder), value).toBe(false);
  expect(widens(flag, [...harmless, ...widening], folder)).toBe(widening.length > 0);
});

/** A text of the configuration file that names a variable. */
const variable = (name: string) => `\${${name}}`;

/** What a folder's files say, and a command that would obey. */
const PLACES: readonly [string, Record<string, string | object>, readonly string[]][] = [
  ["an env file", { ".env": `HOOKPORTER_BASE_URL=${ELSEWHERE}\n` }, ["properties"]],
  ["the configuration file", { [CONFIG]: { baseUrl: ELSEWHERE } }, ["properties"]],
  ["a command's section", { [CONFIG]: { listen: { exec: "touch ran" } } }, ["listen"]],
  ["a list", { [CONFIG]: { listen: { forwardTo: ["3000", ELSEWHERE] } } }, ["listen"]],
  [
    "the project's section",
    { [CONFIG]: { project: { inbox: "postgres://app@db.invalid/app" } } },
    ["events", "list"],
  ],
  [
    "a variable of the env file",
    { [CONFIG]: { url: variable("WHERE") }, ".env": `WHERE=${ELSEWHERE}\n` },
    ["trigger", "lead.created"],
  ],
  [
    "an env file that the configuration file names",
    { [CONFIG]: { envFile: "own.env" }, "own.env": `HOOKPORTER_STREAM=wss://elsewhere.invalid\n` },
    ["listen"],
  ],
  [
    "code",
    {
      "hookporter.config.mjs": 'import { writeFileSync } from "node:fs"; writeFileSync("ran", "");',
    },
    ["sign"],
  ],
  [
    "a variable that looks like one of the environment",
    {
      [CONFIG]: { listen: { handlers: variable("PLACE") } },
      ".env": `PLACE='${variable("HOME")}'\n`,
    },
    ["listen"],
  ],
];

it.each(PLACES)(
  "what widens is not taken from %s, and the error names the command",
  async (_, files, argv) => {
    const cwd = folderWith(files);
    for (const own of [env, { ...env, HOOKPORTER_TRUST: "0".repeat(32) }]) {
      const { code, stderr } = await runCli(argv, { cwd, env: own });
      expect([code, stderr]).toEqual([
        3,
        expect.stringMatching(/^error: expected your consent .*`hookporter trust`\n$/),
      ]);
    }
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  },
);

it.each(PLACES)("`doctor` lists what %s would set, and ignores it", async (_, files) => {
  const cwd = folderWith(files);
  const { records } = await runCli(["doctor", "--json"], { cwd, env });
  const found = records.filter(({ check }) => check === "trust");
  expect(found).toMatchObject([
    { status: "warn", fix: expect.stringContaining("hookporter trust") },
  ]);
  expect(JSON.stringify(records.filter(({ check }) => check !== "trust"))).not.toContain("invalid");
});

it("the default inbox is no link that leads to the inbox of another folder", async () => {
  const other = folderWith({ "theirs.db": "" });
  const cwd = folderWith({ ".hookporter/.gitignore": "*" });
  symlinkSync(join(other, "theirs.db"), join(cwd, ".hookporter", "inbox.db"));
  const { code, stderr } = await runCli(["events", "list"], { cwd });
  expect([code, stderr]).toEqual([3, expect.stringContaining("a link that leads out of it")]);
  const linked = tempFolder();
  symlinkSync(join(cwd, ".hookporter"), join(linked, ".hookporter"));
  expect((await runCli(["events", "list"], { cwd: linked })).stderr).toContain("a link that leads");
  const named = await runCli(["events", "list", "--inbox", join(other, "theirs.db")], { cwd });
  expect(named.stderr).not.toContain("link");
});

it("nothing is asked for what the command line or the environment says", async () => {
  const cwd = folderWith({ [CONFIG]: { baseUrl: ELSEWHERE, inbox: variable("DATABASE_URL") } });
  const place = "postgres://app@127.0.0.1:1/app";
  const typed = await runCli(["properties", "--base-url", "http://127.0.0.1:1"], { cwd, env });
  const set = await runCli(["events", "list"], { cwd, env: { ...env, DATABASE_URL: place } });
  for (const { stderr } of [typed, set]) expect(stderr).not.toContain("consent");
});

it("an env file outside the folder may say anything, and one inside may not, even if it was named", async () => {
  const own = join(
    folderWith({ "own.env": `HOOKPORTER_BASE_URL=http://127.0.0.1:1\n` }),
    "own.env",
  );
  const cwd = folderWith({ "in.env": "HOOKPORTER_BASE_URL=http://127.0.0.1:1\n" });
  const said = async (file: string) =>
    (await runCli(["properties"], { cwd, env: { ...env, HOOKPORTER_ENV_FILE: file } })).stderr;
  expect(await said(own)).not.toContain("consent");
  symlinkSync(own, join(cwd, "linked.env"));
  expect(await said(join(cwd, "linked.env"))).toContain("consent");
  expect(await said("in.env")).toContain("consent");
});

it("a hash covers the values, wherever the folder is, and nothing else", async () => {
  const write = (files: Record<string, string | object>) =>
    folderWith({ [CONFIG]: { baseUrl: "http://127.0.0.1:1" }, ...files });
  const consent = await consentTo(write({}));
  const asks = async (files: Record<string, string | object>) =>
    (
      await runCli(["properties"], { cwd: write(files), env: { ...env, ...consent } })
    ).stderr.includes("consent");
  expect(await asks({})).toBe(false);
  expect(await asks({ [CONFIG]: { baseUrl: "http://127.0.0.1:1", timeout: "1s" } })).toBe(false);
  expect(await asks({ ".env": "HOOKPORTER_JSON=0\n" })).toBe(false);
  expect(await asks({ [CONFIG]: { baseUrl: "http://127.0.0.1:2" } })).toBe(true);
  expect(await asks({ ".env": "HOOKPORTER_EXEC=date\n" })).toBe(true);
});

it("off a terminal it shows values without passwords, remembers nothing, and prints the hash for CI", async () => {
  const inbox = variable("DATABASE_URL");
  const cwd = folderWith({
    [CONFIG]: { inbox, listen: { exec: "say \u001b[2J" } },
    ".env": "DATABASE_URL=postgres://app:very-hidden@db.invalid/app\n",
  });
  const home = tempFolder();
  const run = await runCli(["trust"], { cwd, env: { HOME: home } });
  expect(run.code).toBe(3);
  expect(run.stdout).toContain(
    "ignored  hookporter.config.json (inbox): postgres://app@db.invalid/app",
  );
  expect(run.stdout).toMatch(/^HOOKPORTER_TRUST=[0-9a-f]{32}$/m);
  expect(run.stdout + run.stderr).not.toMatch(/very-hidden|\p{Cc}\[2J/u);
  expect(readdirSync(home)).toEqual([]);
  const trusted = await runCli(["trust"], { cwd, env: await consentTo(cwd) });
  expect(trusted).toMatchObject({ code: 0, stderr: "HOOKPORTER_TRUST trusts all of it.\n" });
  const none = await runCli(["trust"], { cwd: tempFolder() });
  expect(none).toMatchObject({ code: 0, stdout: "" });
});

it("what `init` writes is trusted where it was written, and asks for consent in a copy", async () => {
  const home = tempFolder();
  const cwd = tempFolder();
  await runCli(["init", "app", "--inbox", "postgres"], { cwd, env: { HOME: home } });
  const app = join(cwd, "app");
  const trusts = async (folder: string) => {
    const { records } = await runCli(["trust", "--json"], { cwd: folder, env: { HOME: home } });
    return records.find(({ type }) => type === "trust")?.trusted;
  };
  expect(await trusts(app)).toBe(true);
  writeFileSync(join(app, ".env"), `${readFileSync(join(app, ".env"), "utf8")}\nMORE=1\n`);
  expect(await trusts(app)).toBe(true);
  const copy = folderWith({ [CONFIG]: readFileSync(join(app, CONFIG), "utf8") });
  expect(await trusts(copy)).toBe(false);
  writeFileSync(join(app, ".env"), `HOOKPORTER_BASE_URL=${ELSEWHERE}\n`);
  expect(await trusts(app)).toBe(false);
});
