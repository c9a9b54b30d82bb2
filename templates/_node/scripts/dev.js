// `npm run dev`: compiles on every change and restarts the server with the result. No bundler, no extra package.
import { spawn, spawnSync } from "node:child_process";
import { watch } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

function build() {
  const tsc = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"];
  return spawnSync(process.execPath, tsc, { stdio: "inherit" }).status === 0;
}

if (!build()) process.exit(1);
const server = spawn(process.execPath, ["--watch", "dist/server.js"], { stdio: "inherit" });

let timer;
const watcher = watch("src", { recursive: true }, () => {
  clearTimeout(timer); // editors save in several steps
  timer = setTimeout(build, 100);
});

// On Windows, Ctrl-C reaches the server without this, and a signal from another process would end it before it has closed.
const isWindows = process.platform === "win32";
process
  .once("SIGINT", () => isWindows || server.kill("SIGINT"))
  .once("SIGTERM", () => server.kill("SIGTERM"));
server.once("exit", () => {
  clearTimeout(timer);
  watcher.close();
});
