import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it that are missing. `mkdirSync` with `recursive` does so too, but
 * never returns where the file system says that the folder above is missing though it is there, as
 * under `/proc`.
 *
 * @param mode - of each folder that is made
 * @throws the file system's error
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
    const above = dirname(path);
    if (existsSync(above) || above === path) throw thrown;
    makeFolder(above, mode);
    makeFolder(path, mode);
  }
}
