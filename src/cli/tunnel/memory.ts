import { dirname, join } from "node:path";
import { makeFolder } from "../../base/make-folder.ts";
import { readText } from "../../base/system/files.ts";
import { tryOr } from "../../base/try-or.ts";
import { replaceFile } from "../files/replace-file.ts";
import { makeStateFolder, STATE_FOLDER } from "../files/state-folder.ts";

/**
 * The public address of the last run that was online, by the tunnel's name: the service must be
 * told about a change.
 */
export function rememberedUrl(cwd: string, name: string): string | undefined {
  // only a hint is lost
  const url = tryOr(() => readText(fileOf(cwd, name)).trim(), "");
  return URL.canParse(url) ? url : undefined;
}

/** Stores an address; throws file system errors. */
export function rememberUrl(cwd: string, name: string, url: string): void {
  if (url === rememberedUrl(cwd, name)) return;
  makeStateFolder(cwd);
  const file = fileOf(cwd, name);
  makeFolder(dirname(file), 0o700);
  replaceFile(file, `${url}\n`);
}

/** One file for each tunnel: two processes that write at once do not lose each other's address. */
function fileOf(cwd: string, name: string): string {
  return join(cwd, STATE_FOLDER, "tunnels", name);
}
