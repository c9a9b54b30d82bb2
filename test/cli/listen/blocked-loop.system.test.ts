import { execFile, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { root } from "../../docs/markdown.ts";
import { SECRET } from "../../receiver/sample.ts";
import { skip } from "../../strangers/programs.ts";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { startListening } from "../listening.ts";

/** Blocks the event loop until the file `go` is there; without one, for ever. */
const BLOCKING = `import { existsSync } from "node:fs";
export default { "lead.created": () => { while (!existsSync("go")); } };
`;

it("`listen` names the entry whose handler blocks the event loop, and says when it runs again", async () => {
  const cwd = folderWith({ "handlers.mjs": BLOCKING });
  const listen = startListening(["--handlers", "handlers.mjs", "--no-inspect"], { cwd });
  await listen.trigger("lead.created");
  await listen.said("the handler of #1 lead.created has blocked the event loop for 2 s");
  await listen.said(`kill -9 ${listen.child.pid} ends this process`);
  writeFileSync(join(cwd, "go"), "");
  await listen.said("the event loop runs again");
  await vi.waitFor(
    () => expect(listen.records("attempt")).toMatchObject([{ state: "handled" }]),
    10_000,
  );
});

it("two times Ctrl-C end a blocked `listen` on its terminal", {
  timeout: 90_000,
}, async (context) => {
  if (spawnSync("python3", ["--version"]).status !== 0) skip(context, "python3");
  const cwd = folderWith({ "handlers.mjs": BLOCKING });
  const driver = join(root, "test", "strangers", "in-terminal.py");
  const bin = [process.execPath, join(root, "dist", "hookporter.cjs")];
  const listen = [...bin, "listen", "--handlers", "handlers.mjs", "--no-inspect", "--port", "0"];
  const env = { ...process.env, TERM: "xterm", HOOKPORTER_SECRET: SECRET, PRESSES: "2" };
  const ready = ["--ready-file", "ready.json", "--count", "1"];
  const ended = new Promise<string>((resolve) => {
    const args = [driver, "100", "Ctrl-C twice", ...listen, ...ready];
    execFile("python3", args, { cwd, env, timeout: 60_000 }, (_, stdout) => resolve(stdout));
  });
  const url = await vi.waitFor(
    () => JSON.parse(readFileSync(join(cwd, "ready.json"), "utf8")).url,
    15_000,
  );
  const sending = ["trigger", "lead.created", "--url", url, "--secret-env", "S"];
  await runCli(sending, { cwd, env: { S: SECRET } });
  const printed = await ended;
  expect(printed).toContain("has blocked the event loop for 2 s");
  const told = printed.match(/^.*(?:blocked the event loop|Ctrl-C twice).*$/gm) ?? [];
  expect(told.map((line) => line.trim().length <= 80)).toEqual([true, true]);
  expect(printed.trim().split("\n").at(-1)).toBe("-9"); // SIGKILL
});
