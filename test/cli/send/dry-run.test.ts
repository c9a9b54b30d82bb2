import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { Delivery } from "../../../src/entries/index.ts";
import { openTarget } from "../../relay/sample.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { saveDeliveries } from "../save-deliveries.ts";
import { env, sendingTo } from "./sending.ts";

const URL_GIVEN = "http://app.test/in";
const hasCurl = ["sh", "curl"].every((name) => spawnSync(name, ["--help"]).error === undefined);

/** A dry run of saved deliveries. */
function dryRunOf(deliveries: Readonly<Record<string, Partial<Delivery>>>) {
  const cwd = saveDeliveries(deliveries);
  const run = (...more: string[]) => {
    const argv = ["replay", ...Object.keys(deliveries), "--exact", "--dry-run", ...more];
    return runCli(argv.includes("--url") ? argv : [...argv, "--url", URL_GIVEN], { cwd, env });
  };
  return { cwd, run };
}

it("nothing is sent, and the record of a delivery has all that would be", async () => {
  const target = await startReceiving();
  const { cwd, run } = dryRunOf({ "a b.json": {} });
  const { code, records, stderr } = await run("--json", "--url", `${target.url}?key=hunter2`);
  expect([code, stderr, target.got]).toEqual([0, "", []]);
  const [{ file, curl, ...others } = {} as never] = records;
  expect(others).toMatchObject({
    type: "sending",
    label: "a b.json",
    url: `${target.url}?key=…`,
    at: 0,
    chaos: null,
    bytes: 28,
  });
  expect(file).toMatch(/^\.hookporter\/bodies\/a_b-[0-9a-f]{12}\.json$/);
  expect(readFileSync(join(cwd, String(file)), "utf8")).toBe('{"event":"payment.received"}');
  expect(statSync(join(cwd, String(file))).mode & 0o077).toBe(0);
  expect(existsSync(join(cwd, ".hookporter", ".gitignore"))).toBe(true);
  expect(String(curl).endsWith(` --data-binary '@${file}' '${target.url}?key=hunter2'`)).toBe(true);
  const later = await run("--json", "HOOKPORTER_DELAY=5s");
  expect(later.records).toMatchObject([{ at: 5000 }]);
});

it("trigger prints a command for each event, with its signature and without the secret", async () => {
  const { run } = sendingTo({ url: URL_GIVEN });
  const { records, stdout, stderr } = await run("trigger --all --dry-run --json");
  const signed = /^curl .* -H 'x-service-signature: sha256=[0-9a-f]{64}' /;
  expect(records.map(({ curl }) => signed.test(String(curl)))).toEqual(Array(12).fill(true));
  expect(stdout + stderr).not.toContain(env.HOOKPORTER_SECRET);
  const other = await run("trigger lead.created --dry-run HOOKPORTER_SIGNATURE_HEADER=X-Other");
  expect(other.stdout).toMatch(/-H 'x-other: sha256=[0-9a-f]{64}'/i);
  expect(other.stdout).not.toContain("x-service-signature");
});

it.skipIf(!hasCurl)(
  "the command sends the body byte for byte and every header, whatever they contain",
  async () => {
    const { url, got } = await openTarget();
    const body = Buffer.from([
      ...Buffer.from("@\r\n\n'\"$(x)\0"),
      ...Array.from({ length: 256 }, (_, byte) => byte),
    ]);
    const tricky = 'it\'s "$HOME" `id` $(id) \\n !x; #y';
    const headers = { "x-tricky": tricky, "x-twice": ["a", "b"], "x-empty": "" };
    const { cwd, run } = dryRunOf({ "a.json": { headers, body } });
    const target = new URL(`${url.href}&list[]=1&x={a,b}&quote='`);
    const folder = "a 'b' $(c) `d`;e";
    const { stdout: line } = await run("--url", target.href, `HOOKPORTER_BODIES_TO=${folder}`);
    const { stdout } = await promisify(execFile)("sh", ["-c", line], { cwd });
    expect(stdout).toBe("ok\n200\n");
    expect(got).toHaveLength(1);
    expect(got[0]?.body.equals(body)).toBe(true);
    expect(got[0]?.url).toBe(target.pathname + target.search);
    expect(got[0]?.headers).toMatchObject({ "x-tricky": tricky, "x-twice": "a, b", "x-empty": "" });
    expect(got[0]?.headers).not.toHaveProperty("content-type");
  },
);

it("what would be dropped is a comment, and has no file", async () => {
  const { cwd, run } = dryRunOf({ "a.json": {}, "b.json": {} });
  expect(await run("--drop", "100%")).toMatchObject({
    code: 0,
    stdout: "# dropped: a.json\n# dropped: b.json\n",
  });
  const { records } = await run("--drop", "100%", "--json");
  expect(records).toMatchObject([
    { type: "dropped", label: "a.json", at: 0 },
    { type: "dropped", label: "b.json", at: 0 },
  ]);
  expect(existsSync(join(cwd, ".hookporter", "bodies"))).toBe(false);
});

it("a header that a command line cannot carry is named, and the query of a delivery is omitted with a word", async () => {
  const headers = { "content-type": "text/plain", "x-name": "\u00e9" };
  const { stdout, stderr } = await dryRunOf({ "a.json": { headers } }).run();
  expect(stderr).toBe("header omitted: x-name, since a command line cannot carry its value\n");
  expect(stdout).toContain("-H 'content-type: text/plain'");
  expect(stdout).not.toContain("x-name");
  const { run } = dryRunOf({ "a.json": { target: "/in?tenant=7" } });
  expect((await run()).stderr).toBe(
    "query omitted: ?tenant=…, since its values may be credentials: add it to --url to send it\n",
  );
  expect((await run("--url", `${URL_GIVEN}?own=1`)).stderr).toBe("");
});

it("the same body has the same file, another body another, and its name is safe and short", async () => {
  const long = `${"\u00e9 x/../".repeat(30)}y`;
  const name = `${long.replaceAll("/", "")}.json`.slice(0, 100);
  const { run } = dryRunOf({ [name]: {}, "b.json": {}, "json.d": { body: Buffer.from("{}") } });
  const files = async () => (await run("--json")).records.map(({ file }) => basename(String(file)));
  const first = await files();
  expect(first[0]).toMatch(/^[A-Za-z0-9._-]{80}-[0-9a-f]{12}\.json$/);
  expect(first[1]).toMatch(/^b-[0-9a-f]{12}\.json$/);
  expect(first[2]).toMatch(/^json\.d-[0-9a-f]{12}\.json$/);
  expect(first[1]?.slice(-17)).toBe(first[0]?.slice(-17));
  expect(first[2]?.slice(-17)).not.toBe(first[0]?.slice(-17));
  expect(await files()).toEqual(first);
});

it("with a folder for bodies elsewhere, which is shown with its whole path, a run leaves no state", async () => {
  const elsewhere = tempFolder();
  const { cwd, run } = dryRunOf({ "a.json": {} });
  const [record] = (await run("--json", `HOOKPORTER_BODIES_TO=${elsewhere}`)).records;
  expect(String(record?.file).startsWith(join(elsewhere, "a-"))).toBe(true);
  for (const what of ["trigger lead.created", "replay a.json"]) {
    const line = `${what} --dry-run HOOKPORTER_BODIES_TO=${elsewhere}`;
    expect((await sendingTo({ url: URL_GIVEN }, cwd).run(line)).code).toBe(0);
  }
  expect(readdirSync(cwd)).toEqual(["a.json"]);
  const [own] = (await run("--json", `HOOKPORTER_BODIES_TO=${join(cwd, "own")}`)).records;
  expect(own?.file).toMatch(/^own\/a-/);
  expect(existsSync(join(cwd, ".hookporter"))).toBe(false);
});
