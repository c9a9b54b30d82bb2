import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HookporterError } from "../../base/errors.ts";
import { openerOf } from "../../base/system/programs.ts";

/**
 * Milliseconds after which a program that has not failed counts as successful: some run as long as
 * the browser.
 */
const STARTED = 3000;

/**
 * Writes a file that redirects a browser to an address, readable only by this user. The address
 * contains a token, and other users can see command lines, so the browser gets the file instead.
 */
export function writeLeadingFile({ href }: URL) {
  const folder = mkdtempSync(join(tmpdir(), "hookporter-open-"));
  const path = join(folder, "inspector.html");
  const head = `<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${href}">`;
  const page = `<!doctype html>${head}\n<title>hookporter</title><a href="${href}">Open the inspector</a>\n`;
  writeFileSync(path, page, { mode: 0o600 });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Opens a file in the user's browser. Throws `target_unreachable` if no browser can be started. */
export function openInBrowser(path: string, env: Readonly<Record<string, string | undefined>>) {
  const [program, ...argv] = openerOf();
  return new Promise<void>((resolve, reject) => {
    const child = spawn(program, [...argv, path], {
      env: { ...env },
      stdio: "ignore",
      detached: true,
    });
    const failed = (cause?: Error) => {
      const reported = "could not start a browser: open the address above yourself";
      reject(new HookporterError("target_unreachable", reported, { cause }));
    };
    child.on("error", failed).on("exit", (code) => (code === 0 ? resolve() : failed()));
    setTimeout(resolve, STARTED).unref();
    child.unref();
  });
}
