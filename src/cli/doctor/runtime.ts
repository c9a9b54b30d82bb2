import packageJson from "../../../package.json" with { type: "json" };
import { sqliteInUse } from "../../inbox/sqlite/client.ts";
import { type DoctorCheck, fail, ok } from "./finding.ts";

const OLDEST = packageJson.engines.node.replace(">=", "");

/** The program that runs this. */
export const node: DoctorCheck = {
  name: "node",
  run: () => {
    const { node: version } = process.versions;
    if (isAtLeast(version, OLDEST)) return [ok(`Node.js ${version}, hookporter ${packageJson.version}`)];
    return [fail(`Node.js ${version} is too old for hookporter`, `install Node.js ${OLDEST} or newer`)];
  },
};

/** Which SQLite keeps an inbox file: Node's own, or a package. */
export const sqlite: DoctorCheck = {
  name: "sqlite",
  run: ({ inbox }) => {
    if (inbox.file === undefined) return [];
    const { from, version } = sqliteInUse();
    return [ok(`SQLite ${version}, from ${from}`)];
  },
};

/** Compares versions of three numbers. */
export function isAtLeast(version: string, oldest: string): boolean {
  const numbers = (text: string) => text.split(".").map((part) => Number.parseInt(part, 10));
  const [had, needed] = [numbers(version), numbers(oldest)];
  const differs = needed.findIndex((number, index) => number !== (had[index] ?? 0));
  return differs === -1 || (had[differs] ?? 0) > (needed[differs] ?? 0);
}
