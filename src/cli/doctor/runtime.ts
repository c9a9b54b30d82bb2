import { readFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { orElse } from "../../base/or-else.ts";
import { sqliteInUse } from "../../inbox/sqlite/client.ts";
import { type DoctorCheck, ok, warn } from "./finding.ts";

export const node: DoctorCheck = {
  name: "node",
  run: ({ context: { io } }) => {
    const { version } = packageJson;
    const installed = installedVersion(io.cwd);
    if (installed === undefined || installed === version)
      return [ok(`Node.js ${process.versions.node}, hookporter ${version}`)];
    const fix = "run npx hookporter in the project's folder, or update one of them: both use the same inbox";
    return [warn(`this is hookporter ${version}, and the project has ${installed} in node_modules`, fix)];
  },
};

/** The version of the package that the project has; `undefined` if it has none. */
function installedVersion(cwd: string): unknown {
  return orElse(
    () => JSON.parse(readFileSync(join(cwd, "node_modules", "hookporter", "package.json"), "utf8")).version,
    undefined,
  );
}

/** Which SQLite keeps an inbox file: Node's own, or a package. */
export const sqlite: DoctorCheck = {
  name: "sqlite",
  run: ({ inbox }) => {
    if (inbox.file === undefined) return [];
    const { from, version } = sqliteInUse();
    return [ok(`SQLite ${version}, from ${from}`)];
  },
};
