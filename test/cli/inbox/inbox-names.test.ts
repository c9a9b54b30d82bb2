import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import { nameInbox } from "../../../src/cli/inbox/named-inbox.ts";
import { withoutPassword } from "../../../src/inbox/postgres/postgres-url.ts";
import { SECRET } from "../../receiver/sample.ts";
import { fakeIo, runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { cliIn } from "../inbox-folder.ts";

const env = { HOOKPORTER_SECRET: SECRET };
const CANARY = "canary-Pa55word";

/** The commands that open, make or copy an inbox. */
it.each([
  "listen --port 0 --no-inspect",
  "events list",
  "events retry 1",
  "events erase 1 --yes",
  "events backup to.db",
  "inbox check",
  "inbox vacuum",
  "inbox migrate",
  "inbox copy from.db",
  "trigger lead.created --wait",
  "types",
])("`%s` refuses an inbox that is no path, and makes nothing", async (line) => {
  for (const inbox of ["file:./a.db", "~/a.db", " "]) {
    const cwd = tempFolder();
    const { code, stderr } = await runCli([...line.split(" "), "--inbox", inbox], { cwd, env });
    expect([code, stderr], stderr).toEqual([
      3,
      expect.stringContaining("expected an inbox as a file path"),
    ]);
    expect(readdirSync(cwd).filter((name) => name !== ".hookporter")).toEqual([]);
  }
});

it.each<[string, Record<string, string>, object]>([
  ["a variable", { HOOKPORTER_INBOX: "file:./a.db" }, {}],
  ["the configuration file", {}, { inbox: "file:./a.db" }],
  ["the project's section", {}, { project: { inbox: "file:./a.db" } }],
])("an inbox of %s is held to the same rule", async (_, variables, config) => {
  const cwd = folderWith({ "hookporter.config.json": config });
  const cli = cliIn(cwd, { env: { ...env, ...variables } });
  const { code, stderr } = await cli("events list");
  expect([code, stderr]).toEqual([3, expect.stringContaining("got a file URL: write ./a.db")]);
  expect((await cli("doctor --json")).records).toContainEqual(
    expect.objectContaining({ check: "inbox", status: "fail", fix: "write ./a.db" }),
  );
});

it("`doctor` in a project finds an inbox of `listen` that is no path", async () => {
  const settings = { project: { inbox: "a.db" }, listen: { inbox: "~/b.db" } };
  const cwd = folderWith({ "hookporter.config.json": settings });
  const { records } = await cliIn(cwd, { env })("doctor --json");
  expect(records).toContainEqual(
    expect.objectContaining({
      check: "listen inbox",
      status: "fail",
      message: expect.stringContaining("with ~"),
    }),
  );
});

const file = join("/project", "a.db");

it.each([
  ["a.db", { shown: file, file }, file],
  ["memory:", { shown: "memory:", file: undefined }],
  [
    `postgres://user:${CANARY}@db.test:5433/app?schema=hooks&sslmode=require`,
    { shown: "postgres://db.test:5433/app?schema=hooks", file: undefined },
  ],
  [
    `postgresql://db.test/app?password=${CANARY}`,
    { shown: "postgres://db.test/app", file: undefined },
  ],
  [`postgres://user:${CANARY}@not a host/app`, { shown: "postgres://…", file: undefined }],
])(
  "an inbox that is named %s is shown as what it is, without user, password and other parameters",
  (given, named, option = given) => {
    const context = createContext(fakeIo({ cwd: "/project" }).io);
    expect(nameInbox(context, given)).toEqual({ option, ...named });
  },
);

it("an inbox on another server is refused without its password, and a URL is passed on without it", () => {
  const context = createContext(fakeIo({ cwd: "/project" }).io);
  expect(() => nameInbox(context, `mysql://user:${CANARY}@db.test/app`)).toThrow(
    expect.objectContaining({
      code: "inbox_unsupported",
      message: expect.not.stringContaining(CANARY),
    }),
  );
  expect(nameInbox(context, undefined).file).toBe(join("/project", ".hookporter", "inbox.db"));
  expect(withoutPassword(`postgres://user:${CANARY}@db.test/app?password=${CANARY}&schema=a`)).toBe(
    "postgres://user@db.test/app?schema=a",
  );
  expect(withoutPassword(`postgres://user:${CANARY}@not a host/app`)).toBe("");
});
