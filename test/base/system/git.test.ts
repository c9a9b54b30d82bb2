import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { askGit } from "../../../src/base/system/git.ts";
import { runCli, tempFolder } from "../../cli/fake-io.ts";

const env = { PATH: process.env.PATH ?? "" };

/** What a repository's own configuration can name a program for; `PROGRAM` writes a file. */
const PROGRAMS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "[core]\n  fsmonitor = PROGRAM"],
  ["an included file", "[include]\n  path = more"],
  ["a file included on a condition", '[includeIf "gitdir:**"]\n  path = more'],
  ["hooks", "[core]\n  hooksPath = hooks"],
  ["a pager", "[core]\n  pager = PROGRAM\n[pager]\n  ls-files = PROGRAM"],
  ["an alias", "[alias]\n  ls-files = !PROGRAM"],
  [
    "filters and drivers",
    '[filter "x"]\n  clean = PROGRAM\n  smudge = PROGRAM\n  process = PROGRAM\n[diff "x"]\n  textconv = PROGRAM\n  command = PROGRAM\n[diff]\n  external = PROGRAM\n[merge "x"]\n  driver = PROGRAM',
  ],
  [
    "transports",
    '[core]\n  sshCommand = PROGRAM\n  gitProxy = PROGRAM\n  askPass = PROGRAM\n[credential]\n  helper = !PROGRAM\n[remote "origin"]\n  url = ext::PROGRAM\n  promisor = true\n  uploadpack = PROGRAM\n[extensions]\n  partialClone = origin\n[protocol]\n  allow = always',
  ],
];

it.each(PROGRAMS)(
  "a repository with %s runs nothing of it when `doctor` asks git about the env file",
  async (_, config) => {
    const { cwd, ran } = repository(config);
    const { records } = await runCli(["doctor", "--json"], { cwd, env });
    expect(records).toContainEqual(
      expect.objectContaining({ check: "env file", message: ".env holds keys, and is in git" }),
    );
    expect(ran()).toBe(false);
  },
);

it("a file that git does not know is not found, nor one in a folder that is no repository", () => {
  const { cwd } = repository("");
  const argv = (name: string) => ["ls-files", "--error-unmatch", "--", name];
  expect(askGit(cwd, argv(".env"), env)).toBe(0);
  expect(askGit(cwd, argv("other"), env)).not.toBe(0);
  expect(askGit(tempFolder(), argv(".env"), env)).not.toBe(0);
  expect(askGit(cwd, argv(".env"), { PATH: tempFolder() })).toBe(null);
});

it("git is run in one place alone", () => {
  const source = join(import.meta.dirname, "../../../src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const running = files.filter((name) =>
    readFileSync(join(source, name), "utf8").includes('"git"'),
  );
  expect(running.map((name) => name.replaceAll("\\", "/"))).toEqual(["base/system/git.ts"]);
});

/** A repository whose index is newer than its files, so that git looks at them again. */
function repository(config: string) {
  const cwd = tempFolder();
  const marker = join(tempFolder(), "ran");
  const program = join(cwd, "program.sh");
  const text = `#!/bin/sh\necho "$0" >> '${marker}'\nexit 1\n`;
  const git = (...argv: string[]) => execFileSync("git", argv, { cwd, env, stdio: "pipe" });
  git("init", "--quiet");
  writeFileSync(join(cwd, ".env"), "HOOKPORTER_SECRET=f4d2c1b0a9988776655443322110ffee\n", {
    mode: 0o600,
  });
  writeFileSync(join(cwd, ".gitattributes"), "* filter=x diff=x merge=x\n");
  git("add", ".env", ".gitattributes");
  writeFileSync(program, text, { mode: 0o755 });
  mkdirSync(join(cwd, "hooks"));
  for (const hook of ["post-index-change", "pre-commit", "query-watchman"])
    writeFileSync(join(cwd, "hooks", hook), text, { mode: 0o755 });
  appendFileSync(join(cwd, ".git", "config"), `${config.replaceAll("PROGRAM", program)}\n`);
  writeFileSync(join(cwd, ".git", "more"), `[core]\n  fsmonitor = ${program}\n`);
  rmSync(marker, { force: true });
  return { cwd, ran: () => existsSync(marker) };
}
