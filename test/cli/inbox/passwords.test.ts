import { describe, expect, it } from "vitest";
import { closedPort } from "../../relay/tunnel/machine.ts";
import { commands } from "../all-commands.ts";
import { type FakeIoOptions, runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { inboxFolder } from "../inbox-folder.ts";

/** Not like a generated key, which any message would hide. */
const CANARY = "canary";

const names = commands
  .filter(([, { options }]) => options.some(({ long }) => long === "--inbox"))
  .map(([name]) => name)
  .filter((name) => name !== "init"); // which takes the kind of an inbox, not an inbox

/** The arguments that a command needs. */
const NEEDED: Readonly<Record<string, string>> = {
  listen: " --port 0",
  trigger: " lead.created --wait",
  replay: " 1",
  "fixtures scrub": " 1",
  "inbox copy": " a.db",
  "events backup": " b.db",
  "events show": " 1",
  "events retry": " --all",
  "events drop": " --all",
  "events erase": " --all",
};

/** Commands for inbox files, which say what to do on PostgreSQL without connecting. */
const FILES_ONLY = ["events backup", "inbox vacuum"];

it("some commands open an inbox", () => {
  expect(names).toContain("listen");
  expect(names.length).toBeGreaterThan(7);
});

describe.each(names)("the password of a database and `%s`", (command) => {
  /** Runs it, and returns its exit code and its last record, of which none names the password. */
  async function run(options: FakeIoOptions, ...flags: string[]) {
    const line = `${command}${NEEDED[command] ?? ""} --json --debug`;
    const { code, stdout, stderr, records } = await runCli([...line.split(" "), ...flags], options);
    expect(stdout + stderr).not.toContain(CANARY);
    return { code, stderr, records, error: records.at(-1)?.code };
  }

  /** Of `doctor`, which prints errors as findings and then fails with 1, the finding. */
  async function inEnvironment(url: string, exit: number, error: string, finding: RegExp) {
    const { cwd, inbox } = await inboxFolder("a.db");
    await inbox.close();
    const failed = await run({ cwd, env: { HOOKPORTER_INBOX: url } });
    if (command !== "doctor") return expect([failed.code, failed.error]).toEqual([exit, error]);
    const message = expect.stringMatching(finding);
    expect(failed.code).toBe(1);
    expect(failed.records).toContainEqual(
      expect.objectContaining({ type: "finding", status: "fail", message }),
    );
  }

  it.each([
    `postgres://user:${CANARY}@127.0.0.1:1/app`,
    `postgresql://127.0.0.1:1/app?password=${CANARY}`,
    `postgres://user:${CANARY}#@127.0.0.1:1/app`,
  ])("as an argument, %s is refused with what to do instead", async (url) => {
    for (const flag of [["--inbox", url], [`--inbox=${url}`]]) {
      const { code, error, stderr } = await run({}, ...flag);
      expect([code, error]).toEqual([2, "usage"]);
      expect(stderr).toMatch(/set HOOKPORTER_INBOX to the URL, or .* PGPASSWORD/);
    }
  });

  it("in the configuration file, it is refused", async () => {
    const inbox = `postgres://user:${CANARY}@127.0.0.1:1/app`;
    const cwd = folderWith({ "hookporter.config.json": { inbox } });
    expect(await run({ cwd })).toMatchObject({ code: 3, error: "config_invalid" });
  });

  it("in the environment, it is used and not printed", async () => {
    const url = `postgres://user:${CANARY}@127.0.0.1:${await closedPort()}/app`;
    if (FILES_ONLY.includes(command)) await inEnvironment(url, 3, "inbox_unsupported", /./);
    else await inEnvironment(url, 5, "inbox_unreachable", /ECONNREFUSED/);
  });

  it("in the environment, a URL that cannot be read is not printed", async () => {
    const url = `postgres://user:${CANARY}@not a host/app`;
    await inEnvironment(url, 3, "option_invalid", /^expected the inbox's URL/);
  });
});
