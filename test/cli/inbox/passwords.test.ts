import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import type { Io } from "../../../src/cli/io.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { commandName, leaves } from "../../../src/cli/settings/command-tree.ts";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { closedPort } from "../../tunnel/machine.ts";
import { type CliRun, runCli, tempFolder } from "../fake-io.ts";

/** Not like a generated key, which any message would hide. */
const CANARY = "canary";

const commands = leaves(createProgram(createContext({ env: {}, isTTY: {} } as Io)))
  .filter(({ options }) => options.some(({ long }) => long === "--inbox"))
  .map(commandName)
  .filter((name) => name !== "init"); // which takes the kind of an inbox, not an inbox

/** The arguments that a command needs. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  listen: ["--port", "0"],
  trigger: ["lead.created", "--wait"],
  replay: ["1"],
  "fixtures scrub": ["1"],
  "inbox copy": ["a.db"],
  "events backup": ["b.db"],
  "events show": ["1"],
  "events retry": ["--all"],
  "events drop": ["--all"],
  "events erase": ["--all"],
};

/** Commands for inbox files, which say what to do on PostgreSQL without connecting. */
const FILES_ONLY = ["events backup", "inbox vacuum"];

/** Commands that print errors as findings, and then fail with 1. */
const REPORTS = ["doctor"];

const called = (command: string) => [
  ...command.split(" "),
  ...(NEEDED[command] ?? []),
  "--json",
  "--debug",
];

/** A folder with the inbox that `inbox copy` copies. */
async function folderWithInbox(): Promise<string> {
  const cwd = tempFolder();
  const inbox = sqliteInbox(join(cwd, "a.db"));
  await inbox.open();
  await inbox.close();
  return cwd;
}

function expectNoCanary({ stdout, stderr }: CliRun) {
  expect(stdout + stderr).not.toContain(CANARY);
}

function expectError({ code, records }: CliRun, exitCode: number, error: string) {
  expect(code).toBe(exitCode);
  expect(records.at(-1)).toMatchObject({ type: "error", code: error });
}

function expectFinding({ code, records }: CliRun, message: RegExp) {
  expect(code).toBe(1);
  expect(records).toContainEqual(
    expect.objectContaining({
      type: "finding",
      status: "fail",
      message: expect.stringMatching(message),
    }),
  );
}

it("some commands open an inbox", () => {
  expect(commands).toContain("listen");
  expect(commands.length).toBeGreaterThan(7);
});

describe.each(commands)("the password of a database and `%s`", (command) => {
  it.each([
    `postgres://user:${CANARY}@127.0.0.1:1/app`,
    `postgresql://127.0.0.1:1/app?password=${CANARY}`,
    `postgres://user:${CANARY}#@127.0.0.1:1/app`,
  ])("as an argument, %s is refused with what to do instead", async (url) => {
    for (const flag of [["--inbox", url], [`--inbox=${url}`]]) {
      const run = await runCli([...called(command), ...flag]);
      expect(run.code).toBe(2);
      expect(run.records.at(-1)).toMatchObject({ type: "error", code: "usage" });
      expect(run.stderr).toMatch(/set HOOKPORTER_INBOX to the URL, or .* PGPASSWORD/);
      expectNoCanary(run);
    }
  });

  it("in the configuration file, it is refused", async () => {
    const cwd = tempFolder();
    const inbox = `postgres://user:${CANARY}@127.0.0.1:1/app`;
    writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify({ inbox }));
    const run = await runCli(called(command), { cwd });
    expect(run.code).toBe(3);
    expect(run.records.at(-1)).toMatchObject({ type: "error", code: "config_invalid" });
    expectNoCanary(run);
  });

  it("in the environment, it is used and not printed", async () => {
    const env = {
      HOOKPORTER_INBOX: `postgres://user:${CANARY}@127.0.0.1:${await closedPort()}/app`,
    };
    const run = await runCli(called(command), { env, cwd: await folderWithInbox() });
    if (REPORTS.includes(command)) expectFinding(run, /ECONNREFUSED/);
    else if (FILES_ONLY.includes(command)) expectError(run, 3, "inbox_unsupported");
    else expectError(run, 5, "inbox_unreachable");
    expectNoCanary(run);
  });

  it("in the environment, a URL that cannot be read is not printed", async () => {
    const env = { HOOKPORTER_INBOX: `postgres://user:${CANARY}@not a host/app` };
    const run = await runCli(called(command), { env, cwd: await folderWithInbox() });
    if (REPORTS.includes(command)) expectFinding(run, /^expected the inbox's URL/);
    else expectError(run, 3, "option_invalid");
    expectNoCanary(run);
  });
});
