import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../docs/markdown.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

const HANDLERS =
  'export default { "payment.received": (event) => event.data.missing.name, "lead.*": () => {} };\n';

/** Fields whose keys come from a delivery. */
const OPEN: ReadonlySet<string> = new Set(["headers"]);

/** The names and types of a value's fields, without its values. */
function shapeOf(value: unknown, name = ""): unknown {
  if (value === null) return "null";
  if (Array.isArray(value))
    return [...new Set(value.map((one) => JSON.stringify(shapeOf(one))))].map((text) => JSON.parse(text));
  if (typeof value !== "object" || OPEN.has(name)) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one, key)]));
}

/** What a run printed: its exit code, and each shape of a record once, with the version of the records. */
function outlineOf(code: number, records: readonly Record<string, unknown>[]) {
  const shapes = records.map(({ type, schemaVersion, ...fields }) =>
    JSON.stringify({ type, schemaVersion, ...(shapeOf(fields) as object) }),
  );
  return { code, records: [...new Set(shapes)].sort().map((text) => JSON.parse(text)) };
}

it("each command's exit code and the fields of its records are those of the golden file", {
  timeout: 120_000,
}, async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "handlers.mjs"), HANDLERS);
  writeFileSync(join(cwd, "body.json"), "{}");
  const outlines: Record<string, unknown> = {};
  const listen = await listening(["--handlers", "handlers.mjs", "--no-inspect", "--no-catch-up"], cwd);
  const own = ["--url", listen.url];
  const cli = async (...argv: string[]) => {
    const { code, records } = await runCli([...argv, "--json"], { cwd });
    outlines[argv.join(" ").replaceAll(listen.url, "URL")] = outlineOf(code, records);
  };
  await cli("trigger", "lead.created", ...own, "--wait");
  await cli("trigger", "payment.received", ...own, "--wait");
  await cli("trigger", "property.created", ...own, "--wait");
  await cli("trigger", "no.kind", ...own);
  await cli("events", "wait", "--after", "0", "--count", "2");
  await cli("events", "wait", "--after", "0", "--count", "99", "--timeout", "1s");
  await cli("events", "list");
  await cli("events", "list", "--group");
  await cli("events", "show", "1");
  await cli("events", "show", "99");
  await cli("events", "retry", "1");
  await cli("events", "drop", "3");
  await cli("events", "prune", "--older-than", "30d");
  await cli("events", "backup", "backup.db");
  await cli("replay", "1", ...own);
  await cli("sign", "body.json");
  await cli("verify", "body.json", "--signature", `sha256=${"0".repeat(64)}`);
  await cli("check", listen.url, "--only", "SIG-01");
  await cli("inbox", "check", "--inbox", "backup.db");
  await cli("inbox", "vacuum", "--inbox", "backup.db");
  await cli("inbox", "maintain", "--inbox", "backup.db");
  await cli("inbox", "copy", "backup.db", "copy.db");
  await cli("types", "--out", "schemas.ts", "--with-samples");
  await cli("nonsense");
  const { code } = await listen.stop();
  outlines.listen = outlineOf(code, listen.now().records);
  const printed = JSON.stringify(outlines);
  // A type that is in the list of records but in no outline is visible too.
  const page = readFileSync(join(root, "docs", "reference", "cli", "records.md"), "utf8");
  const types = [...page.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, type]) => type);
  outlines["printed by none of these"] = types.filter((type) => !printed.includes(`"type":"${type}"`));
  await expect(`${JSON.stringify(outlines, null, 2)}\n`).toMatchFileSnapshot("golden.txt");
});
