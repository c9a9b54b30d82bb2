import { spawn } from "node:child_process";

/**
 * Ends a process group when its own input ends without a line, which is what happens when whoever holds the other end
 * is gone, `kill -9` included. It asks, and kills what is left after two seconds.
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
 * Makes a process group end with this process. Node.js cannot ask the system for that, a child that hangs does not see
 * that its parent is gone, and a client such as ssh does not care: so a shell watches a pipe that closes with this
 * process. Not for Windows, which has neither.
 *
 * @returns what to call when the group has ended: its number may be somebody else's by then
 */
export function endGroupWithUs(group: number): () => void {
  // In a session of its own, so that a Ctrl-C meant for the command line does not end it first.
  const watcher = spawn("/bin/sh", ["-c", WATCHER, "hookporter-watcher", String(group)], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin" },
    detached: true,
  });
  watcher.on("error", () => {}); // without a shell, the child still ends when it sees that its parent is gone
  watcher.stdin.on("error", () => {});
  watcher.unref();
  return () => watcher.stdin.end("done\n");
}
