import { ownCommand } from "../../base/package/own-command.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { type FileFacts, findLock } from "../../inbox/sqlite/care/examine.ts";
import { CHECK_DISK } from "./disk.ts";
import { type DoctorCheck, type Finding, fail, ok, warn } from "./finding.ts";
import { FILE_TIME } from "./setup.ts";

/** Size in bytes of the log from which something keeps it from shrinking. */
const LARGE_LOG = 256 * 1024 * 1024;

const RECOVER = "stop all programs that use it, keep all its files, and follow docs/recovery.md";

/** Whether the inbox file is whole, can be written, and is of this version. */
export const inboxContent: DoctorCheck = {
  name: "content",
  timeLimit: FILE_TIME + 5000,
  run: async ({ inbox, inboxWord, file }) => {
    const facts = await file();
    const path = inbox.file;
    if (facts === undefined || path === undefined) return [];
    const { problems, bytes = 0, logBytes = 0 } = facts;
    if (problems !== undefined && problems.length > 0)
      return [fail(`${path} is damaged: ${problems.join("; ")}`, RECOVER)];
    if (facts.error !== undefined) return [unreadable(facts.error, path)];
    const findings = [
      ...ofOtherVersion(facts, path),
      ...(await locked(path)),
      ...largeLog(path, logBytes),
    ];
    if (findings.length > 0) return findings;
    if (problems === undefined) {
      const found = `${path} is too large (${sizeText(bytes)}) to be checked in ${FILE_TIME / 1000} s`;
      return [
        warn(
          found,
          `check it as a whole, however long that takes: ${ownCommand("inbox check", inboxWord)}`,
        ),
      ];
    }
    const log = logBytes === 0 ? "" : `, its log ${sizeText(logBytes)}`;
    return [ok(`not damaged, schema ${facts.schema}, ${sizeText(bytes)}${log}`)];
  },
};

const WHICH = "(`fuser FILE` lists the programs that have a file open)";
const FIXES: Readonly<Record<string, string>> = {
  inbox_newer: "update hookporter, or choose another inbox with --inbox",
  inbox_corrupt: `choose another path with --inbox if the file is no inbox; if it is, ${RECOVER}`,
  disk_error: CHECK_DISK,
  inbox_busy: `end the program that holds it locked ${WHICH}`,
};

function unreadable({ code, message }: FileFacts["error"], path: string): Finding {
  const fix = FIXES[code] ?? "check the file, its folder and its disk";
  const cut = message.lastIndexOf(": ");
  return fail(cut === -1 ? `${path} could not be read: ${message}` : message.slice(0, cut), fix);
}

function ofOtherVersion(
  { schema = 0, newestSchema = 0, processes = [] }: Partial<FileFacts>,
  path: string,
) {
  if (schema >= newestSchema) return [];
  const first = processes.length === 0 ? "" : "stop the processes that have it open, then ";
  const message = `${path} has schema ${schema} of an older version, this one has ${newestSchema}`;
  return [warn(message, `${first}start listen or your server once, which brings it up to date`)];
}

async function locked(path: string): Promise<readonly Finding[]> {
  const locked = await findLock(path);
  if (locked === undefined) return [];
  const [pid] = locked.pids;
  const who = pid === undefined ? "another program" : `process ${pid}`;
  const fix = `end that program ${WHICH}, or its transaction`;
  return [fail(`${who} holds ${path} locked, so nothing can be written`, fix)];
}

function largeLog(path: string, logBytes: number): readonly Finding[] {
  if (logBytes < LARGE_LOG) return [];
  const found = `the log of ${path} has ${sizeText(logBytes)}: a program that keeps a transaction open keeps it from shrinking`;
  return [warn(found, `end that program ${WHICH}`)];
}
