import { mkdtempSync, openSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runCommand } from "../../../src/cli/handlers/run-command.ts";

it.skipIf(process.platform !== "linux")(
  "a program inherits the working folder and the given environment, and no file or socket that was opened here",
  async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "hookporter-inherited-")));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    openSync(join(cwd, "open"), "w"); // neither this file nor this socket
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    const script =
      "pwd; cd /proc/$$/fd; echo $(readlink *); env | cut -d= -f1 | sort | tr '\\n' ' '";
    const lines: string[] = [];
    const { how } = await runCommand({
      words: ["/bin/sh", "-c", script],
      cwd,
      env: { PATH: String(process.env.PATH), PGPASSWORD: "kept" },
      variables: { HOOKPORTER_ENTRY: "1\0" },
      input: "{}",
      signal: new AbortController().signal,
      onLine: (line) => lines.push(line),
    });
    expect(how).toBeUndefined();
    const [folder, files = "", variables = ""] = lines;
    expect(folder).toBe(cwd);
    expect(files).not.toContain(join(cwd, "open"));
    expect(files.match(/socket:/g)?.length ?? 0).toBeLessThanOrEqual(3); // as Node's pipes are
    const names = variables.trim().split(" ");
    expect(names.filter((name) => !["OLDPWD", "PWD", "SHLVL", "_"].includes(name))).toEqual([
      "HOOKPORTER_ENTRY",
      "PATH",
      "PGPASSWORD",
    ]);
  },
);
