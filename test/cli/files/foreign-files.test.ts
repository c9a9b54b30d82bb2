import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { env, envelope } from "../send/sending.ts";

const pipe = (path: string) => expect(spawnSync("mkfifo", [path]).status).toBe(0);

/** What may be in the place of a file, and what is said of it in a folder. */
const INSTEAD: Readonly<
  Record<string, readonly [make: (path: string) => unknown, said: RegExp, named?: RegExp]>
> = {
  "a pipe": [pipe, /b\.json could not be read: it is a pipe, not a file/],
  "a link to an endless device": [
    (path) => symlinkSync("/dev/zero", path),
    /left out 1 link that lead out of the folder: b\.json/,
    /b\.json.*: it has more than 64 MiB/,
  ],
  "a link to a file elsewhere": [
    (path) => symlinkSync(join(folderWith({ "c.json": envelope() }), "c.json"), path),
    /left out 1 link that lead out of the folder: b\.json/,
  ],
  "a link through a folder elsewhere": [
    (path) => {
      symlinkSync(folderWith({ "c.json": envelope() }), `${path}.d`);
      symlinkSync(join(`${path}.d`, "c.json"), path);
    },
    /left out 1 link that lead out of the folder: b\.json/,
  ],
  "a link to itself": [(path) => symlinkSync(path, path), /b\.json could not be read: .*circle/],
  "a huge file": [
    (path) => {
      writeFileSync(path, "");
      truncateSync(path, 65 * 1024 * 1024);
    },
    /b\.json could not be read: it has more than 64 MiB/,
    /b\.json.*: it has more than 64 MiB/,
  ],
  "a folder": [
    (path) => mkdirSync(path),
    /b\.json could not be read: it is a folder/,
    /b\.json.*: it is a folder|it is a folder|without/,
  ],
  "a socket": [
    async (path) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(path, resolve));
      onTestFinished(() => void server.close());
    },
    /b\.json could not be read: it is a socket, not a file/,
    /b\.json.*: it is a socket, not a file/,
  ],
};

const URL_OF_NOBODY = "http://127.0.0.1:9/";

describe.skipIf(process.platform === "win32")("of a folder only its own files are read", () => {
  it.each(
    Object.entries(INSTEAD).flatMap(([what, [make, said]]) =>
      [
        ["replay", "in", "--dry-run", "--url", URL_OF_NOBODY],
        ["types", "in", "--out", "-"],
        ["fixtures", "scrub", "in"],
      ].map((words) => ({ what, command: words[0], words, make, said })),
    ),
  )("$what is left out by $command, which says so", async ({ words, make, said }) => {
    const cwd = folderWith({ "in/a.json": envelope() });
    await make(join(cwd, "in", "b.json"));
    const run = await runCli(words, { cwd, env });
    expect(run.stderr).toMatch(said);
    expect(run.stdout).toMatch(/payment|curl/);
  });

  it("a link within it is followed, and one that leads out is all that is said of a folder without more", async () => {
    const cwd = folderWith({ "in/deep/a.json": envelope() });
    symlinkSync("deep/a.json", join(cwd, "in", "b.json"));
    const words = ["replay", "in", "--dry-run", "--url", URL_OF_NOBODY];
    expect((await runCli(words, { cwd, env })).stdout).toContain("bodies/b-");
    const out = folderWith({});
    mkdirSync(join(out, "in"));
    symlinkSync(join(cwd, "in", "deep", "a.json"), join(out, "in", "b.json"));
    expect(await runCli(words, { cwd: out, env })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/got 1 link that lead out of the folder: b\.json\n$/),
    });
  });
});

describe.skipIf(process.platform === "win32")("a file that is named", () => {
  it.each(
    Object.entries(INSTEAD)
      .flatMap(([what, [make, , named]]) => (named === undefined ? [] : [{ what, make, named }]))
      .flatMap((hostile) =>
        [
          ["verify", "b.json", "--signature", "sha256=00"],
          ["sign", "b.json"],
          ["replay", "b.json", "--url", URL_OF_NOBODY],
          ["types", "b.json"],
          ["types", "b.ndjson"],
          ["fixtures", "scrub", "b.json"],
          ["check", URL_OF_NOBODY, "--event", "b.json"],
          ["trigger", "lead.created", "--url", URL_OF_NOBODY, "--data", "@b.json"],
        ].map((words) => ({ ...hostile, words, command: words.join(" ") })),
      ),
  )("is refused if it is $what: $command", async ({ words, make, named }) => {
    const cwd = tempFolder();
    await make(join(cwd, "b.json"));
    symlinkSync("b.json", join(cwd, "b.ndjson"));
    const run = await runCli(words, { cwd, env });
    expect(run.code).not.toBe(0);
    if (words[1] !== "b.ndjson") expect(run.stderr).toMatch(named);
  });

  it("may be a link to anywhere, or a pipe, as a shell makes for `<(command)`", async () => {
    const elsewhere = join(folderWith({ "c.json": envelope() }), "c.json");
    const cwd = tempFolder();
    symlinkSync(elsewhere, join(cwd, "b.json"));
    const sign = (file: string) => runCli(["sign", file], { cwd, env });
    const signed = await sign("b.json");
    expect(signed.code).toBe(0);
    const path = join(cwd, "pipe");
    pipe(path);
    const writer = spawnSync("sh", ["-c", `cat '${elsewhere}' > '${path}' &`], { stdio: "ignore" });
    expect(writer.status).toBe(0);
    expect((await sign("pipe")).stdout).toBe(signed.stdout);
  });
});

it.skipIf(process.platform === "win32")(
  "a pipe in the place of the program's own notes does not make a command wait",
  async () => {
    const cwd = folderWith({ "a.json": envelope() });
    mkdirSync(join(cwd, ".hookporter"));
    pipe(join(cwd, ".hookporter", "last-instant"));
    const words = ["trigger", "lead.created", "--dry-run", "--url", URL_OF_NOBODY];
    expect((await runCli(words, { cwd, env })).code).toBe(0);
    pipe(join(cwd, "hookporter.config.json"));
    expect((await runCli(words, { cwd, env })).stderr).toMatch(
      /hookporter\.config\.json .*it is a pipe, not a file/,
    );
  },
);
