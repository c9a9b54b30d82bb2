import packageJson from "../../../package.json" with { type: "json" };
import { sqliteInUse } from "../../inbox/sqlite/client.ts";
import { isAtLeast, OLDEST_NODE } from "../../package/node-version.ts";
import { type DoctorCheck, fail, ok } from "./finding.ts";

/** The program that runs this. */
export const node: DoctorCheck = {
  name: "node",
  run: () => {
    const { node: version } = process.versions;
    if (isAtLeast(version, OLDEST_NODE)) return [ok(`Node.js ${version}, hookporter ${packageJson.version}`)];
    return [fail(`Node.js ${version} is too old for hookporter`, `install Node.js ${OLDEST_NODE} or newer`)];
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
