// `npm run dev`: compiles on every change and restarts the server with the result. No bundler, no
// extra package.
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
// In a workspace, it may be in the node_modules of a folder above.
const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")));

function build() {
  const tsc = [compiler, "-p", "tsconfig.build.json"];
  return spawnSync(process.execPath, tsc, { stdio: "inherit" }).status === 0;
}

/**
 * When each source was changed. Looked up, as `fs.watch` of Node 20 to 24 on Linux loses a file
 * that an editor replaces.
 */
function times() {
  const files = readdirSync("src", { recursive: true });
  return files
    .map((file) => `${file} ${statSync(join("src", file), { throwIfNoEntry: false })?.mtimeMs}`)
    .join();
}

let built = times();
if (!build()) process.exit(1);
// With source maps, an error names the line in src/ that it is from.
const flags = ["--watch", "--enable-source-maps"];
const server = spawn(process.execPath, [...flags, "dist/server.js"], { stdio: "inherit" });

const timer = setInterval(() => {
  const now = times();
  if (now === built) return;
  built = now;
  build();
}, 300);

// On Windows, Ctrl-C reaches the server without this, and a signal from another process would end
// it before it has closed.
const isWindows = process.platform === "win32";
process
  .once("SIGINT", () => isWindows || server.kill("SIGINT"))
  .once("SIGTERM", () => server.kill("SIGTERM"));
server.once("exit", () => clearInterval(timer));
