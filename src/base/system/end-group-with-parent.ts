import { type ChildProcess, spawn } from "node:child_process";
import { HAS_PROCESS_GROUPS } from "./programs.ts";

/**
 * Ends a process group when its standard input closes without a line, which happens if the process
 * at the other end is gone, even after `kill -9`. It sends SIGTERM, and SIGKILL two seconds later.
 */
const WATCHER = `
read -r _ && exit 0
kill -s TERM -- "-$1"
for _ in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.2
  kill -s 0 -- "-$1" || exit 0
done
kill -s KILL -- "-$1"
`;

/**
 * Makes the process group that a child leads end together with this process. Node.js cannot ask the
 * system for that, a child that hangs does not notice that its parent is gone, and clients such as
 * ssh ignore it. So a shell watches a pipe that closes with this process. On Windows, Node puts a
 * child in a job that ends with this process.
 *
 * @returns a function to call when the group has ended, since its id may be reused afterwards
 */
export function endGroupWithParent({ pid }: ChildProcess): () => void {
  if (!HAS_PROCESS_GROUPS || pid === undefined) return () => {};
  // In its own session, so that a Ctrl-C meant for the command line does not end it first.
  const watcher = spawn("/bin/sh", ["-c", WATCHER, "hookporter-watcher", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin" },
    detached: true,
  });
  // without a shell, the child still ends when it notices that its parent is gone
  watcher.on("error", () => {});
  watcher.stdin.on("error", () => {});
  watcher.unref();
  return () => watcher.stdin.end("done\n");
}
