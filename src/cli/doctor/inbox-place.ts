import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { statfsSync } from "../../base/package/builtins.ts";
import { networkFileSystem, shownMode, syncedFolder } from "../../base/system/files.ts";
import { realPath } from "../../base/system/paths.ts";
import { unusable } from "../../base/unusable.ts";
import { selectInbox } from "../../inbox/open.ts";
import { isPostgresUrl } from "../../inbox/postgres/postgres-url.ts";
import { missingPart } from "../../inbox/sqlite/file/inbox-file.ts";
import { mergeCommand, rescuedBeside } from "../../inbox/sqlite/file/rescued-files.ts";
import { nearestFolder } from "../files/nearest-folder.ts";
import { type DoctorCheck, type Finding, fail, failure, ok, warn } from "./finding.ts";

/** The types of /proc and /sys, where not even root can make a file. */
const KERNEL_ONLY: ReadonlySet<number> = new Set([0x9fa0, 0x62656572]);

const { R_OK, W_OK, X_OK } = constants;

/** Where the inbox file is, and who may read or replace it. */
export const inboxPlace: DoctorCheck = {
  name: "inbox",
  run: async ({ inbox: { file, option, shown }, isProject, file: facts }) => {
    if (file === undefined) {
      if (isPostgresUrl(option)) return [];
      selectInbox(option); // throws for a store that is not supported
      return [ok("in memory: it is lost when the process ends")];
    }
    const problems = [...placeProblems(file), ...rescued(file), ...foreignDisk(file)];
    if (problems.length > 0) return problems;
    if ((await facts())?.error?.code === "disk_error") return []; // the next check says so
    const maker = isProject ? "the server" : "listen";
    return [ok(existsSync(file) ? shown : `${shown}: does not exist yet; ${maker} creates it`)];
  },
};

function placeProblems(file: string): readonly Finding[] {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    const missing = missingPart(stats === undefined ? file : realPath(file));
    if (missing !== undefined) return [fail(missing.expected, missing.fix)];
    if (stats === undefined) {
      const above = nearestFolder(dirname(file));
      accessSync(above, W_OK | X_OK);
      if (KERNEL_ONLY.has(statfsSync(above).type))
        return [
          fail(`${above} is the kernel's, and takes no files`, "name another path with --inbox"),
        ];
      return [];
    }
    if (!stats.isFile()) return [fail(`${file} is a folder`, "name a file in it with --inbox")];
    accessSync(file, R_OK | W_OK);
  } catch (thrown) {
    return [failure(unusable(file, thrown, "pass another inbox with --inbox"))];
  }
  return risks(file);
}

/** What receivers wrote out because the inbox was removed or replaced under them. */
function rescued(file: string): readonly Finding[] {
  const path = existsSync(file) ? realPath(file) : file;
  return rescuedBeside(path).map((found) =>
    warn(
      `${found} holds what was in an inbox that was removed from ${path}, or replaced there`,
      `stop the receiver and run \`${mergeCommand(found, path)}\`, then delete ${found}`,
    ),
  );
}

/**
 * Others who may write to the folder could replace the file; programs that know it by another name
 * could damage it.
 */
function risks(file: string): readonly Finding[] {
  const folder = dirname(realPath(file));
  const around = statSync(folder);
  const inbox = statSync(file);
  const isSticky = (around.mode & 0o1000) !== 0; // there, others may only add files
  const folderMode = isSticky ? undefined : shownMode(around, 0o022);
  const fileMode = shownMode(inbox, 0o077);
  const linked = `${file} has ${inbox.nlink} names (hard links): programs that use different ones damage it`;
  const replace = `other users may replace files in ${folder} (mode ${folderMode})`;
  const read = `other users may read ${file} (mode ${fileMode})`;
  return [
    ...(folderMode === undefined ? [] : [warn(replace, `chmod go-w ${folder}`)]),
    ...(fileMode === undefined ? [] : [warn(read, `chmod 600 ${file}`)]),
    ...(inbox.nlink < 2 ? [] : [warn(linked, "use one name, and remove the others")]),
  ];
}

function foreignDisk(file: string): readonly Finding[] {
  const folder = nearestFolder(dirname(file));
  const fix = "keep the inbox on a local disk: pass --inbox, or use PostgreSQL";
  const network = networkFileSystem(join(folder, "inbox"));
  if (network !== undefined)
    return [
      warn(`${folder} is on a network file system (${network}), whose locks are unreliable`, fix),
    ];
  const synced = syncedFolder(folder);
  if (synced === undefined) return [];
  const found = `${folder} is in ${synced}, which copies files while they change, and may damage the inbox`;
  return [
    warn(found, "move the inbox to a folder that is not synchronised, and pass it with --inbox"),
  ];
}
