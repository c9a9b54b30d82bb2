import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";

const env = { HOOKPORTER_SECRET: "a secret that is long enough" };

/** The commands that open, make or copy an inbox. */
const COMMANDS = [
  ["listen", "--port", "0", "--no-inspect"],
  ["events", "list"],
  ["events", "retry", "1"],
  ["events", "erase", "1", "--yes"],
  ["events", "backup", "to.db"],
  ["inbox", "check"],
  ["inbox", "vacuum"],
  ["inbox", "maintain"],
  ["inbox", "migrate"],
  ["inbox", "copy", "from.db"],
  ["trigger", "lead.created", "--wait"],
  ["types"],
];

it.each(COMMANDS.map((argv) => [argv.join(" "), argv] as const))(
  "`%s` refuses an inbox that is no path, and makes nothing",
  async (_, argv) => {
    for (const inbox of ["file:./a.db", "~/a.db", " "]) {
      const cwd = tempFolder();
      const { code, stderr } = await runCli([...argv, "--inbox", inbox], { cwd, env });
      expect([code, stderr], stderr).toEqual([
        3,
        expect.stringContaining("expected an inbox as a file path"),
      ]);
      expect(readdirSync(cwd).filter((name) => name !== ".hookporter")).toEqual([]);
    }
  },
);

it.each<[string, Record<string, string>, string | undefined]>([
  ["a variable", { HOOKPORTER_INBOX: "file:./a.db" }, undefined],
  ["the configuration file", {}, '{ "inbox": "file:./a.db" }'],
  ["the project's section", {}, '{ "project": { "inbox": "file:./a.db" } }'],
])("an inbox of %s is held to the same rule", async (_, variables, config) => {
  const cwd = tempFolder();
  if (config !== undefined) writeFileSync(join(cwd, "hookporter.config.json"), config);
  const options = { cwd, env: { ...env, ...variables } };
  const { code, stderr } = await runCli(["events", "list"], options);
  expect([code, stderr]).toEqual([3, expect.stringContaining("got a file URL: write ./a.db")]);
  const { records } = await runCli(["doctor", "--json"], options);
  expect(records).toContainEqual(
    expect.objectContaining({ check: "inbox", status: "fail", fix: "write ./a.db" }),
  );
});

it("`doctor` in a project finds an inbox of `listen` that is no path", async () => {
  const cwd = tempFolder();
  const settings = { project: { inbox: "a.db" }, listen: { inbox: "~/b.db" } };
  writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify(settings));
  const { records } = await runCli(["doctor", "--json"], { cwd, env });
  expect(records).toContainEqual(
    expect.objectContaining({
      check: "listen inbox",
      status: "fail",
      message: expect.stringContaining("with ~"),
    }),
  );
});
