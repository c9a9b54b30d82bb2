import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HookporterError } from "../../errors.ts";

/** What opens a file with the program the user has chosen for it. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Milliseconds after which a program that has not failed has done it: some run for as long as the browser does. */
const STARTED = 3000;

/** A file that leads to an address. */
export interface LeadingFile {
  readonly path: string;
  readonly remove: () => void;
}

/**
 * Writes a file that leads a browser to an address, for this user alone. The address holds a token, and other users of
 * this machine see command lines: so a browser is given the file instead.
 */
export function writeLeadingFile({ href }: URL): LeadingFile {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-open-"));
  const path = join(folder, "inspector.html");
  const head = `<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${href}">`;
  const page = `<!doctype html>${head}\n<title>hookporter</title><a href="${href}">Open the inspector</a>\n`;
  writeFileSync(path, page, { mode: 0o600 });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Opens a file in the user's browser.
 *
 * @throws HookporterError `target_unreachable` where none can be started
 */
export function openInBrowser(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const [program = "", ...argv] = OPENERS[process.platform] ?? ["xdg-open"];
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...argv, path], { env: { ...env }, stdio: "ignore", detached: true });
    const failed = (cause?: Error) => {
      const told = "no browser could be started: open the address above by hand";
      reject(new HookporterError("target_unreachable", told, { cause }));
    };
    child.on("error", failed).on("exit", (code) => (code === 0 ? resolve() : failed()));
    setTimeout(resolve, STARTED).unref();
    child.unref();
  });
}
