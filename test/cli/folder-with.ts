import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempFolder } from "./fake-io.ts";

/** Writes files into a folder, as JSON if they are no texts. Default: a folder of the test. */
export function folderWith(
  files: Readonly<Record<string, string | object>>,
  cwd = tempFolder(),
): string {
  for (const [name, content] of Object.entries(files)) {
    const path = join(cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }
  return cwd;
}
