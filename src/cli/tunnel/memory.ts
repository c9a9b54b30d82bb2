import { readFileSync } from "node:fs";
import { join } from "node:path";
import { orElse } from "../../base/or-else.ts";
import { replaceFile } from "../files/replace-file.ts";
import { makeStateFolder, STATE_FOLDER } from "../files/state-folder.ts";

/** The public address of the last run that was online, by the tunnel's name: the service must be told about a change. */
export function rememberedUrl(cwd: string, name: string): string | undefined {
  const url = readAll(cwd)[name];
  return typeof url === "string" && URL.canParse(url) ? url : undefined;
}

/** Stores an address; throws file system errors. */
export function rememberUrl(cwd: string, name: string, url: string): void {
  if (url === rememberedUrl(cwd, name)) return;
  makeStateFolder(cwd);
  const text = JSON.stringify({ ...readAll(cwd), [name]: url }, null, 2);
  replaceFile(pathIn(cwd), `${text}\n`);
}

function readAll(cwd: string): Readonly<Record<string, unknown>> {
  return orElse(() => {
    const known: unknown = JSON.parse(readFileSync(pathIn(cwd), "utf8"));
    return typeof known === "object" && known !== null ? { ...known } : {};
  }, {}); // missing or damaged; only a hint is lost
}

function pathIn(cwd: string): string {
  return join(cwd, STATE_FOLDER, "tunnels.json");
}
