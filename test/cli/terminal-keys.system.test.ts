import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { root } from "../docs/markdown.ts";
import { tempFolder } from "./fake-io.ts";

const hasTmux =
  spawnSync("tmux", ["-V"]).status === 0 && spawnSync("bash", ["--version"]).status === 0;
if (!hasTmux) process.stdout.write("\nskipped: keys on a terminal (apt-get install tmux)\n");

/** Milliseconds, generous for a busy machine. */
const PATIENCE = 60_000;

it.skipIf(!hasTmux)(
  "Ctrl-Z stops the whole job of `npx hookporter listen`, and Ctrl-C ends it in order",
  {
    timeout: 3 * PATIENCE,
  },
  async () => {
    const cwd = tempFolder();
    const socket = join(tempFolder(), "tmux");
    const tmux = (...argv: string[]) =>
      spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...argv], { cwd, encoding: "utf8" });
    onTestFinished(() => void tmux("kill-server"));
    const until = (text: RegExp) =>
      vi.waitFor(() => expect(tmux("capture-pane", "-p", "-J").stdout).toMatch(text), PATIENCE);
    // As `npx` does, a shell waits for the program; the shell that was typed at controls both as
    // one job.
    const program = `'${process.execPath}' '${join(root, "dist", "bin.js")}' listen --port 0 --no-inspect`;
    tmux("new-session", "-d", "-x", "200", "-y", "40", "bash --noprofile --norc -i");
    await until(/[$#] *$/m);
    tmux("send-keys", `sh -c "${program}; echo ended \\$?"`, "Enter");
    await until(/\? help/);
    tmux("send-keys", "C-z");
    await until(/Stopped/);
    tmux("send-keys", "fg", "Enter");
    tmux("send-keys", "C-c");
    await until(/stopped by SIGINT[\s\S]*ended 0/);
  },
);
