import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../docs/markdown.ts";
import { runCli, tempFolder } from "./fake-io.ts";
import { folderWith } from "./folder-with.ts";

const bin = join(root, "dist", "hookporter.cjs");
const env = {
  PATH: process.env.PATH,
  HOOKPORTER_INSPECT: "false",
  HOOKPORTER_API_KEY: "sk_test_own",
};

/** A user who owns nothing. */
const NOBODY = 65_534;

/** Runs the built program in a folder, as this user or another. */
function run(line: string, cwd: string, uid?: number) {
  const user = uid === undefined ? {} : { uid, gid: uid };
  const { status, stderr } = spawnSync(process.execPath, [bin, ...line.split(" ")], {
    cwd,
    env: { ...env, HOME: cwd },
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    ...user,
    timeout: 30_000,
  });
  return { code: status, stderr };
}

const isRoot = process.getuid?.() === 0;
const canBeNobody = isRoot && run("--version", "/", NOBODY).code === 0;

const LISTEN = "listen --port 0 --count 1 --timeout 1s";
const OWN = "--inbox memory: --secret-env OWN";
const SUBSCRIBE = "subscribe http://127.0.0.1:9/w --base-url http://127.0.0.1:9";

/** Commands that need the folder, its secret or its inbox. */
const COMMANDS = [
  LISTEN,
  "events list",
  "events show 1",
  "events retry 1",
  "events export",
  SUBSCRIBE,
  "trigger lead.created --url 9",
  "replay 1 --url 9",
  "replay body.json --url 9",
  "check 9 --timeout 1s",
  "sign body.json",
  "verify body.json",
];

/** A folder that everybody can read, with a body in it. */
function openFolder(): string {
  const body = { event: "lead.created", timestamp: "2026-01-15T10:00:00Z", data: {} };
  const cwd = folderWith({ "body.json": body });
  chmodSync(cwd, 0o755);
  return cwd;
}

/** Checks that an error is one line, with cause and fix, and its exit code. */
function expectUnusable(
  { code, stderr }: { readonly code: number | null; readonly stderr: string },
  ...words: readonly string[]
): void {
  for (const word of words) expect(stderr).toContain(word);
  expect(stderr.match(/^error/gm)).toHaveLength(1);
  expect(stderr).not.toMatch(/bug in hookporter|^\s+at /m);
  expect(code).toBe(3);
}

describe.skipIf(!canBeNobody)("as another user (needs root)", () => {
  it.each(COMMANDS)("`%s` names the owner of a .hookporter that it may not search", (line) => {
    const cwd = openFolder();
    const state = join(cwd, ".hookporter");
    mkdirSync(state, { mode: 0o700 });
    expectUnusable(run(line, cwd, NOBODY), "permission denied", `${state} belongs to root`);
  });

  it.each([
    [LISTEN, "--inbox"],
    ["init project --yes", "chown"],
    [`${SUBSCRIBE} --secret-env OWN`, "folder of your own"],
    [`${LISTEN} ${OWN} --save-dir saved`, "--save-dir"],
    [`${LISTEN} ${OWN} --ready-file r`, "--ready-file"],
  ])("`%s` names the owner of a folder that it may not write to", (line, fix) => {
    const cwd = openFolder();
    writeFileSync(join(cwd, ".env"), "OWN=a-secret-that-is-long-enough\n");
    expectUnusable(run(line, cwd, NOBODY), `${cwd} belongs to root`, "runs as", fix);
  });

  it("listen and commands that change entries name the owner of an inbox that they may not write to", () => {
    const cwd = openFolder();
    const inbox = "--inbox inbox.db";
    expect(run(`${LISTEN} ${inbox}`, cwd).code).toBe(6);
    writeFileSync(join(cwd, ".env"), "HOOKPORTER_SECRET=a-secret-that-is-long-enough\n");
    chmodSync(join(cwd, "inbox.db"), 0o644);
    for (const line of [LISTEN, "events retry --all"]) {
      const refused = run(`${line} ${inbox}`, cwd, NOBODY);
      expectUnusable(refused, "inbox.db belongs to root", "another inbox");
    }
  });
});

describe.skipIf(isRoot || process.platform === "win32")(
  "as the owner (needs a user other than root)",
  () => {
    it("a .hookporter with the wrong mode is named with the command that mends it", () => {
      const cwd = openFolder();
      mkdirSync(join(cwd, ".hookporter"), { mode: 0o000 });
      expectUnusable(run(LISTEN, cwd), "the mode of", "is 0000", "chmod u+rwX");
    });
  },
);

it.each(COMMANDS)("`%s` reports a file in the place of .hookporter", async (line) => {
  const cwd = openFolder();
  const state = join(cwd, ".hookporter");
  writeFileSync(state, "");
  const own = { HOOKPORTER_API_KEY: "sk_test_own" };
  const refused = await runCli(line.split(" "), { cwd, env: own });
  expectUnusable(refused, `${state} is not a folder: remove or rename it`);
});

it.skipIf(process.platform === "win32")(
  "a working folder that was removed is reported, but help is printed",
  () => {
    for (const [argv, status] of [
      ["events list", 3],
      ["replay 1 --json", 3],
      ["listen", 3],
      ["listen --help", 0],
    ] as const) {
      const script = `cd "$1" && rmdir "$1" && exec "$2" "$3" ${argv}`;
      const words = ["-c", script, "sh", tempFolder(), process.execPath, bin];
      const done = spawnSync("sh", words, { env, encoding: "utf8", timeout: 30_000 });
      expect([argv, done.status, done.stderr]).toEqual([
        argv,
        status,
        expect.not.stringMatching(/uv_cwd|^\s+at /m),
      ]);
      if (status === 3)
        expect(done.stderr + done.stdout).toMatch(
          /expected a working folder, got one that was removed/,
        );
    }
  },
);
