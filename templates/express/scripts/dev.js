// `npm run dev`: compiles on every change and restarts the server with what came out. No bundler, no extra package.
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const tsc = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"];

if (spawnSync(process.execPath, tsc, { stdio: "inherit" }).status !== 0) process.exit(1);

const children = [
  [...tsc, "--watch", "--preserveWatchOutput"],
  ["--watch", "dist/server.js"],
].map((args) => spawn(process.execPath, args, { stdio: "inherit" }));
const end = () => {
  for (const child of children) child.kill();
};
process.once("SIGINT", end).once("SIGTERM", end);
for (const child of children) child.once("exit", end);
