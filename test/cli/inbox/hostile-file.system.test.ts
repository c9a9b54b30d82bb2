import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sqliteInbox } from "../../../src/inbox/sqlite.ts";
import { root } from "../../docs/markdown.ts";
import { HOSTILE, makeEndlessTree, makeHostile } from "../../inbox/sqlite/hostile-files.ts";
import { fillEveryState } from "../../inbox/transfer/every-state.ts";
import { tempFolder } from "../fake-io.ts";

/** Milliseconds after which a command that has not ended runs what the file says. */
const PATIENCE = 30_000;

/** Runs a command as a process, which is killed if it does not end; its statements cannot be. */
async function hookporter(cwd: string, words: string) {
  const argv = [join(root, "dist", "hookporter.cjs"), ...words.split(" ")];
  const env = { PATH: process.env.PATH, HOME: cwd, HOOKPORTER_SECRET: "a secret of a test" };
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => chunks.push(text));
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return { code: code as number | null, printed: chunks.join("") };
}

/** Commands that open the inbox of the folder, and their exit code. */
const COMMANDS = [
  ["events list", 3],
  ["events list --group", 3],
  ["events show 1", 3],
  ["events export --to out", 3],
  ["events backup backup.db", 3],
  ["events prune --older-than 30d", 3],
  ["events wait --after 0 --timeout 1s", 3],
  ["events retry 1", 3],
  ["events drop 1", 3],
  ["events erase 1", 3],
  ["events pause --all", 3],
  ["events resume --all", 3],
  ["replay 1 --dry-run --url http://127.0.0.1:9/", 3],
  ["types", 3],
  ["fixtures scrub 1", 3],
  ["inbox check", 1],
  ["inbox vacuum", 3],
  ["inbox copy .hookporter/inbox.db copy.db", 3],
  ["inbox copy own.db --into .hookporter/inbox.db", 3],
  ["listen --port 0 --no-inspect", 3],
  ["doctor", 1],
] as const;

/** Files whose SQL runs with hardly any command. */
const ALL = [
  "an endless view as entry",
  "an endless view as migration",
  "a huge blob as delivery",
  "an endless trigger on updates",
  "an endless trigger on deletes",
];

/** The commands that are tried on every file. */
const SOME = COMMANDS.filter(([words]) => /^(?:events (?:list|backup)|inbox check)/.test(words));

/** A folder with a hostile inbox, as a clone may have it. */
async function cloned(sql: string): Promise<string> {
  const cwd = tempFolder();
  const state = sqliteInbox(join(cwd, ".hookporter", "inbox.db"));
  await state.open();
  await fillEveryState(state);
  await state.close();
  copyFileSync(join(cwd, ".hookporter", "inbox.db"), join(cwd, "own.db"));
  makeHostile(join(cwd, ".hookporter", "inbox.db"), sql);
  return cwd;
}

it.each(Object.entries(HOSTILE))(
  "every command on an inbox with %s ends, and names it",
  { timeout: 300_000 },
  async (which, [sql, named]) => {
    const cwd = await cloned(sql);
    for (const [words, code] of ALL.includes(which) ? COMMANDS : SOME) {
      const run = await hookporter(cwd, words);
      expect({ words, ...run }).toEqual({ words, code, printed: expect.stringContaining(named) });
    }
    // from what can be read of the rows, without the file's own list of tables
    const salvage = await hookporter(cwd, "inbox copy --salvage .hookporter/inbox.db salvaged.db");
    expect(salvage.code).not.toBeNull();
    // reads no inbox at all
    const completion = await hookporter(cwd, "__complete events show ");
    expect(completion).toEqual({ code: 0, printed: "" });
  },
);

it("what judges a file ends on one whose pages lead to each other without an end", async () => {
  const cwd = await cloned("");
  makeHostile(join(cwd, "own.db"), "PRAGMA journal_mode = DELETE"); // all is in the file
  makeEndlessTree(join(cwd, "own.db"));
  const check = await hookporter(cwd, "inbox check --inbox own.db");
  expect(check).toMatchObject({ code: 1, printed: expect.stringContaining("Tree 4 page") });
  expect((await hookporter(cwd, "doctor --inbox own.db")).printed).toMatch(
    /fail +content .* is damaged/,
  );
});
