// `npm run package`: builds, and puts what the functions need into package/, which template.yaml
// deploys.
import { execSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const run = (command, cwd = ".") => execSync(command, { cwd, stdio: "inherit" });

rmSync("package", { recursive: true, force: true });
run("npm run build");
for (const name of ["package.json", "package-lock.json", "hookporter.config.json", "dist"])
  cpSync(name, `package/${name}`, { recursive: true });
// tunnels, which are optional, are large
run("npm ci --omit=dev --omit=optional --ignore-scripts", "package");
