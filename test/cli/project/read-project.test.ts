import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { readProject } from "../../../src/entries/config.ts";

let folder: string;
const before = process.env;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "read-project-"));
  process.env = { PATH: before.PATH };
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: as the file has it
const OF_VARIABLE = '{ "project": { "inbox": "${DATABASE_URL}" } }';
const OR_FILE = OF_VARIABLE.replace("}", ":-data/inbox.db}");

afterEach(() => {
  process.env = before;
  rmSync(folder, { recursive: true });
});

function write(name: ".env" | "hookporter.config.json", text: string): void {
  writeFileSync(join(folder, name), text);
}

it("reads .env, whose byte order mark is no part of a name, and sets what is not set already", () => {
  process.env.HOST = "0.0.0.0";
  write(".env", "\uFEFFHOOKPORTER_SECRET=abc\nHOOKPORTER_INBOX=own.db\nHOST=::1\nOTHER=1\n");
  expect(readProject(folder)).toEqual({
    secret: "abc",
    inbox: "own.db",
    port: 3000,
    host: "0.0.0.0",
  });
  expect([process.env.OTHER, process.env.HOST]).toEqual(["1", "0.0.0.0"]);
});

it("takes the previous secret beside the current one, and tells of names that nothing reads", () => {
  write("hookporter.config.json", '{ "project": { "inbox": "a.db" } }');
  write(".env", "HOOKPORTER_SECRET=new\nHOOKPORTER_SECRET_PREVIOUS=old\n");
  expect(readProject(folder).secret).toEqual(["new", "old"]);
  process.env.HOOKPORTER_SECRET_PREVIOUS = "";
  expect(readProject(folder).secret).toBe("new");
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  for (const name of [
    "HOOKPORTER_SECRET_OLD",
    "HOOKPORTER_OLD_SECRET",
    "HOOKPORTER_SECRETS",
    "HOOKPORTER_SECRET_PREV",
  ]) {
    process.env[name] = "a value that must not be shown";
    readProject(folder);
    expect(warn.mock.lastCall?.[0]).toMatch(
      new RegExp(`^nothing reads the variable ${name}: .*HOOKPORTER_SECRET_PREVIOUS$`),
    );
    delete process.env[name];
  }
  process.env.HOOKPORTER_SECRET = "the-new-secret,the-old-secret";
  expect(readProject(folder).secret).toBe("the-new-secret,the-old-secret");
  expect(warn.mock.lastCall?.[0]).toMatch(/looks like 2 secrets/);
  expect(JSON.stringify(warn.mock.calls)).not.toMatch(/must not be shown|the-new-secret/);
});

it("takes HOOKPORTER_INBOX, then `project` of the configuration file, then its `inbox`", () => {
  write("hookporter.config.json", '\uFEFF{ "inbox": "all.db" }');
  expect(readProject(folder).inbox).toBe("all.db");
  write(
    "hookporter.config.json",
    '{ "inbox": "all.db", "project": { "inbox": "server.db", "port": 4000 } }',
  );
  expect(readProject(folder)).toMatchObject({ inbox: "server.db", port: 4000 });
  process.env.PORT = "0";
  process.env.HOOKPORTER_INBOX = "mine.db";
  expect(readProject(folder)).toMatchObject({ inbox: "mine.db", port: 0 });
});

it("takes a port of 0 in the configuration file for any free port", () => {
  write("hookporter.config.json", '{ "project": { "inbox": "a.db", "port": 0 } }');
  expect(readProject(folder).port).toBe(0);
  write("hookporter.config.json", '{ "project": { "inbox": "a.db", "port": "" } }');
  expect(readProject(folder).port).toBe(3000);
});

it("repeats nothing of a configuration file that is not JSON", () => {
  write("hookporter.config.json", '{"inbox": postgres://app:hunter2@db.internal/app}');
  expect(() => readProject(folder)).toThrow(/is not JSON: Unexpected token 'p'$/);
});

it("fills in variables of the configuration file, also those of .env", () => {
  write("hookporter.config.json", OR_FILE);
  expect(readProject(folder).inbox).toBe("data/inbox.db");
  write(".env", "DATABASE_URL=postgres://db.internal/app\n");
  expect(readProject(folder).inbox).toBe("postgres://db.internal/app");
});

it.each([
  ["no inbox", {}, /got none: set HOOKPORTER_INBOX/],
  [
    "a port that is none",
    { HOOKPORTER_INBOX: "a.db", PORT: "abc" },
    /expected PORT to be a port .*"abc"/,
  ],
  ["a port that is too large", { HOOKPORTER_INBOX: "a.db", PORT: "65536" }, /expected PORT/],
  ["a port below 0", { HOOKPORTER_INBOX: "a.db", PORT: "-1" }, /expected PORT/],
])("refuses %s", (_, variables, message) => {
  Object.assign(process.env, variables);
  expect(() => readProject(folder)).toThrow(message);
  expect(() => readProject(folder)).toThrow(expect.objectContaining({ code: "option_invalid" }));
});

it("refuses an inbox that only a missing variable names, and a file that is not JSON", () => {
  write("hookporter.config.json", OF_VARIABLE);
  expect(() => readProject(folder)).toThrow(/expected the inbox/);
  write("hookporter.config.json", "{");
  expect(() => readProject(folder)).toThrow(/hookporter\.config\.json is not JSON/);
});
