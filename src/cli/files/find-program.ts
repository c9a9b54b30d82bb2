import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/**
 * Whether a program can be found, in `PATH` or by its path. Windows has rules of its own, so there it shows when the program
 * is started.
 */
export function canStart(program: string, cwd: string, path = ""): boolean {
  if (process.platform === "win32") return true;
  const places = program.includes("/") ? [""] : path.split(delimiter);
  return places.some((folder) => isExecutable(resolve(cwd, join(folder, program))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
