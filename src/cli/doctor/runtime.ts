import { readFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { tryOr } from "../../base/try-or.ts";
import { sqliteInUse } from "../../inbox/open.ts";
import { type DoctorCheck, ok, warn } from "./finding.ts";

export const node: DoctorCheck = {
  name: "node",
  run: ({ context: { io } }) => {
    const { version } = packageJson;
    const own = join(io.cwd, "node_modules", "hookporter", "package.json");
    const installed: unknown = tryOr(
      () => JSON.parse(readFileSync(own, "utf8")).version,
      undefined,
    );
    if (installed === undefined || installed === version)
      return [ok(`Node.js ${process.versions.node}, hookporter ${version}`)];
    const fix =
      "run npx hookporter in the project's folder, or update one of them: both use the same inbox";
    return [
      warn(`this is hookporter ${version}, and the project has ${installed} in node_modules`, fix),
    ];
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
