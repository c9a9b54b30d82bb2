import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../docs/markdown.ts";
import { closedPort } from "../../relay/tunnel/machine.ts";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { folderWithShapes } from "../learn/shapes.ts";
import { listening, started } from "../open-listen.ts";
import { appFolder } from "../scaffold/into/app-folder.ts";

const HANDLERS =
  'export default { "payment.received": (event) => event.data.missing.name, "lead.*": () => {} };\n';

/** Fields whose keys come from a delivery. */
const OPEN: ReadonlySet<string> = new Set(["headers"]);

/** The names and types of a value's fields, without its values. */
function shapeOf(value: unknown, name = ""): unknown {
  if (value === null) return "null";
  if (Array.isArray(value))
    return [...new Set(value.map((one) => JSON.stringify(shapeOf(one))))].map((text) =>
      JSON.parse(text),
    );
  if (typeof value !== "object" || OPEN.has(name)) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one, key)]));
}

/**
 * What a run printed: its exit code, and each shape of a record once, with the version of the
 * records.
 */
function outlineOf(code: number, records: readonly Record<string, unknown>[]) {
  const shapes = records.map(({ type, schemaVersion, ...fields }) =>
    JSON.stringify({ type, schemaVersion, ...(shapeOf(fields) as object) }),
  );
  return { code, records: [...new Set(shapes)].sort().map((text) => JSON.parse(text)) };
}

/** Stops a command; returns what it printed until its end. */
async function stopped({ stop, now }: Awaited<ReturnType<typeof started>>) {
  const { code } = await stop();
  return outlineOf(code, now().records);
}

/** Records that no command line below prints, and why. */
const NOT_PRINTED = {
  drill: "takes half a minute, which its own test spends",
  outage: "an outage keeps the sandbox's other records from being sent",
};

const KEY = "sk_test_of_the_golden_file";

it("each command's exit code and the fields of its records are those of the golden file", {
  timeout: 240_000,
}, async () => {
  const cwd = folderWith({ "handlers.mjs": HANDLERS, "body.json": "{}", "broken.json": "{" });
  const outlines: Record<string, unknown> = {};
  const listen = await listening(
    ["--handlers", "handlers.mjs", "--no-inspect", "--no-catch-up"],
    cwd,
  );
  const own = ["--url", listen.url];
  const hidden = new Map([[listen.url, "URL"]]);
  const shown = (argv: readonly string[]) =>
    [...hidden].reduce((text, [value, name]) => text.replaceAll(value, name), argv.join(" "));
  const run = async (options: { cwd: string; env?: Record<string, string> }, ...argv: string[]) => {
    const { code, records } = await runCli([...argv, "--json"], options);
    outlines[shown(argv)] = outlineOf(code, records);
  };
  const cli = (...argv: string[]) => run({ cwd }, ...argv);
  await cli("trigger", "lead.created", ...own, "--wait");
  await cli("trigger", "payment.received", ...own, "--wait");
  await cli("trigger", "property.created", ...own, "--wait");
  await cli("trigger", "no.kind", ...own);
  const chaotic = "--dry-run --count 4 --drop 50% --seed 1".split(" ");
  await cli("trigger", "lead.created", ...own, ...chaotic);
  await cli("events", "wait", "--after", "0", "--count", "2");
  await cli("events", "wait", "--after", "0", "--count", "99", "--timeout", "1s");
  await cli("events", "list");
  await cli("events", "list", "--group");
  await cli("doctor", "--explain", "events list");
  await cli("events", "show", "1");
  await cli("events", "show", "99");
  await cli("events", "retry", "1");
  await cli("events", "drop", "3");
  await cli("events", "pause", "--kind", "expense.created");
  await cli("events", "resume", "--all");
  await cli("events", "prune", "--older-than", "30d");
  await cli("events", "backup", "backup.db");
  await cli("events", "erase", "1", "--yes");
  await cli("replay", "2", ...own);
  await cli("replay", "2", "broken.json", "--handlers", "handlers.mjs");
  await cli("sign", "body.json");
  await cli("verify", "body.json", "--signature", `sha256=${"0".repeat(64)}`);
  const [signed] = (await runCli(["sign", "body.json", "--json"], { cwd })).records;
  hidden.set(String(signed?.signature), "SIGNATURE");
  await cli("verify", "body.json", "--signature", String(signed?.signature));
  await cli("check", listen.url, "--only", "SIG-01");
  await cli("check", "--list", "--only", "SIG-01");
  await cli("inbox", "check", "--inbox", "backup.db");
  await cli("inbox", "vacuum", "--inbox", "backup.db");
  await cli("inbox", "copy", "backup.db", "copy.db");
  await cli("inbox", "copy", "backup.db", "--into", "copy.db");
  await cli("inbox", "copy", "--salvage", "backup.db", "salvaged.db");
  await cli("inbox", "migrate", "--inbox", "postgres://127.0.0.1/app", "--print", "--all");
  await cli("types", "--out", "schemas.ts", "--with-samples");
  await cli("types", "--check", "--out", "schemas.ts", "--with-samples");
  await cli("types", "--diff", "1h", "--with-samples");
  await cli("trigger", "lead.created", ...own, "--set", "data.price=2");
  await cli("types", "--with-samples");
  await cli("trigger", "lead.created", ...own, "--set", "data.id=3");
  await cli("types", "--diff", "src/schemas.shape.json", "--with-samples");
  await cli("types", "--check", "--with-samples");
  await cli("completion", "bash");
  await cli("init", "receiver", "--yes");
  await run({ cwd: appFolder("express") }, "init", "--into", ".", "--yes");
  await cli("doctor", "--listen", "--handlers", "missing.mjs");
  await cli("nonsense");
  outlines.listen = await stopped(listen);

  const slowly = ["trigger", "lead.created", "--count", "9", "--rate", "1", ...own];
  const slow = await started(slowly, "answer", { cwd });
  outlines["trigger, interrupted"] = await stopped(slow);

  const env = { HOOKPORTER_API_KEY: KEY };
  const serving = "sandbox --port 0 --properties 2 HOOKPORTER_ATTEMPTS=1".split(" ");
  const sandbox = await started(serving, "sandbox", { cwd });
  const base = String(sandbox.first.url);
  hidden.set(base, "SERVICE");
  const served = { cwd, env: { ...env, HOOKPORTER_BASE_URL: base } };
  await run(served, "subscribe", "http://127.0.0.1:1/webhooks", "--events", "lead.*");
  await run(served, "properties");
  const port = String(await closedPort());
  const reach = ["--public-url", `http://127.0.0.1:${port}`, "--stream", new URL(base).port];
  const away = { ...env, HOOKPORTER_BASE_URL: `http://127.0.0.1:${await closedPort()}` };
  const reached = await started(["listen", "--port", port, "--subscribe", ...reach], "stream", {
    cwd: folderWithShapes("lead.created", { id: 1 }),
    env: away,
  });
  await reached.printed("subscribing");
  const emitted = { method: "POST", headers: { "content-type": "application/json" } };
  await fetch(new URL("/_sandbox/events", base), { ...emitted, body: '{"event":"lead.created"}' });
  await sandbox.printed("outgoing", 2);
  await reached.printed("drift");
  outlines["listen --public-url URL --subscribe --stream PORT"] = await stopped(reached);
  outlines.sandbox = await stopped(sandbox);

  const printed = JSON.stringify(outlines);
  const page = readFileSync(join(root, "docs", "reference", "cli", "records.md"), "utf8");
  const types = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, type]) => type);
  const all = [...printed.matchAll(/"type":"([a-z_]+)","schemaVersion"/g)].map(([, type]) => type);
  expect(all.filter((type) => !types.includes(type))).toEqual([]);
  expect(types.filter((type) => !all.includes(type))).toEqual(Object.keys(NOT_PRINTED));
  await expect(`${JSON.stringify(outlines, null, 2)}\n`).toMatchFileSnapshot("golden.txt");
});
