import { existsSync } from "node:fs";
import { dirname } from "node:path";

/** The folder, or the nearest one above it that exists. */
export function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}
