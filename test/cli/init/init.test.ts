import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listTemplates } from "../../../src/cli/scaffold/templates.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

const init = async (
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = tempFolder(),
) => ({
  cwd,
  ...(await runCli(["init", "app", ...argv], { cwd, env })),
});

it("a plain init creates an Express project with a file as its inbox, and prints the next steps", async () => {
  const { code, cwd, stderr, stdout } = await init([]);
  expect(code).toBe(0);
  expect(stdout).toBe("");
  expect(stderr).toContain("cd app");
  expect(stderr).not.toContain("docker compose");
  const manifest = readFileSync(join(cwd, "app", "package.json"), "utf8");
  expect(Object.keys(JSON.parse(manifest).dependencies)).toEqual([
    "express",
    "hookporter",
    "prom-client",
    "zod",
  ]);
});

it("--template and --inbox choose the project, and its record names both", async () => {
  const { cwd, records, stderr } = await init("--template hono --inbox postgres --json".split(" "));
  expect(records).toMatchObject([
    { type: "project", name: "app", template: "hono", inbox: "postgres" },
  ]);
  expect(readFileSync(join(cwd, "app", ".env"), "utf8")).toMatch(/^DATABASE_URL=postgres:/m);
  expect(stderr).toContain("docker compose up");
  const functions = await init(["--template", "lambda", "--json"]);
  expect(functions.records).toMatchObject([{ template: "lambda", inbox: "postgres" }]);
});

it("--help names every template", async () => {
  const templates = await listTemplates(join(import.meta.dirname, "..", "..", ".."));
  const names = templates.map(({ name }) => name).join(", ");
  expect((await runCli(["init", "--help"])).stdout.replaceAll(/\s+/g, " ")).toContain(
    `template to use: ${names} (`,
  );
});

it.each([
  [
    ["--template", "rails"],
    ["express", "fastify", "hono", "lambda", "nextjs"],
  ],
  [["--inbox", "mysql"], ["file, postgres"]],
  [["--template", "lambda", "--inbox", "file"], ["postgres"]], // as all for functions
])("%j is refused with the names of all, and nothing is written", async (argv, names) => {
  const { code, cwd, stderr } = await init(argv);
  expect(code).toBe(2);
  for (const name of names) expect(stderr).toContain(name);
  expect(existsSync(join(cwd, "app"))).toBe(false);
});

it("a setting for the inbox of other commands is not one for the kind of inbox of a project", async () => {
  const cwd = folderWith({ "hookporter.config.json": '{ "inbox": "events.db" }' });
  const run = await init(["--json"], { HOOKPORTER_INBOX: "data/inbox.db" }, cwd);
  expect(run.records).toMatchObject([{ inbox: "file" }]);
  const own = await init(["--json"], { HOOKPORTER_INIT_INBOX: "postgres" });
  expect(own.records).toMatchObject([{ inbox: "postgres" }]);
  writeFileSync(join(cwd, "hookporter.config.json"), '{ "init": { "inbox": "postgres" } }');
  const configured = await runCli(["init", "other", "--json"], { cwd });
  expect(configured.records).toMatchObject([{ inbox: "postgres" }]);
});

it("the lines to try have the port that the server will listen on, and quote what a shell would replace", async () => {
  expect((await init([])).stderr).toContain("--url http://127.0.0.1:3000/webhooks\n");
  const { stderr } = await init([], { PORT: "3456" });
  expect(stderr).toContain("--url http://127.0.0.1:3456/webhooks\n");
  for (const [name, line] of [
    ["my $HOME app", "  cd 'my $HOME app'\n"],
    ["my app", '  cd "my app"\n'],
  ] as const)
    expect((await runCli(["init", name], { cwd: tempFolder() })).stderr).toContain(line);
});
