import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { checkByKind } from "../../check/receivers/check-by-kind.ts";
import { endsWith } from "../../check/receivers/ends-with.ts";
import { failsOnBadJson } from "../../check/receivers/fails-on-bad-json.ts";
import { refusing, reSerialiser } from "../../check/receivers/refusing.ts";
import { right } from "../../check/receivers/right.ts";
import { SECRET, serve } from "../../check/receivers/under-test.ts";
import { type FakeIoOptions, runCli, tempFolder } from "../fake-io.ts";

const env = { HOOKPORTER_SECRET: SECRET };
const base64 = Buffer.from(SECRET).toString("base64");

/** `check` of a receiver, with flags as a shell splits them. */
function check(url: URL, flags: string, options: FakeIoOptions = {}) {
  return runCli(["check", url.href, ...flags.split(" ")], { env, ...options });
}

it("check exits with 0 if all cases pass, with a line per group and a summary", async () => {
  const { url } = await right();
  const run = await check(url, "--only SIG,kind-13 --only DUP-01");
  expect(run).toMatchObject({ code: 0 });
  expect(run.stdout).toMatch(
    /^passed\n✓ KIND {3}2 of 2 {2}event kinds\n✓ SIG {2}48 of 48 {2}signatures\n✓ DUP .*\n51 of 51 passed, \d+ requests .*\npassed\n$/,
  );
  expect(run.stdout).toMatch(/, response times: median \d+ ms, slowest .*\n/);
});

it("check exits with 1 if a required case fails, and prints what was sent, the answer and the fix", async () => {
  const { url } = await endsWith();
  const run = await check(url, "--only SIG-03");
  expect(run.code).toBe(1);
  expect(run.stdout).toMatch(
    /^failed\n[\s\S]*✗ SIG-03 {2}the bare hex digest, .* → 200 \(right: refused\)\n +it accepts another form/,
  );
});

it("the verdict is the first line and the last, then what is wrong comes before what was not seen", async () => {
  const url = await serve((_, response) => response.writeHead(204).end());
  const run = await check(url, "--only KIND,DUP");
  expect(run.code).toBe(1);
  const lines = run.stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(
    /^failed, valid deliveries are refused: KIND-01.* 204: only 200 confirms a delivery/,
  );
  expect(lines[0]).toContain(lines.at(-1));
  const marks = lines
    .filter((line) => /^ {4}\S/.test(line) && line.includes("DUP"))
    .map((line) => line.trim()[0]);
  expect(marks).toEqual([...marks].sort((a, b) => "✗!–".indexOf(a ?? "") - "✗!–".indexOf(b ?? "")));
  const [, cause = ""] = /^failed, valid deliveries are refused: (.+)$/.exec(lines[0] ?? "") ?? [];
  for (const format of ["pretty", "github", "markdown", "junit"]) {
    const { stdout } = await check(url, `--only KIND-01 --format ${format}`);
    expect(stdout.split(cause), `a cause is named once in ${format}`).toHaveLength(2);
  }
});

it("a forgery that gets in is named first and last, with a curl command that proves it and hides the query's values", async () => {
  const url = await serve((_, response) => response.writeHead(200).end());
  const run = await check(url, "--only SIG");
  expect(run.code).toBe(1);
  const lines = run.stdout.trimEnd().split("\n");
  for (const line of [lines[0], lines.at(-1)])
    expect(line).toMatch(/^FORGED DELIVERIES GET IN: The signature is not/);
  const [, proof = ""] = /^try it: (curl .*)$/m.exec(run.stdout) ?? [];
  const { stdout } = await promisify(execFile)("sh", ["-c", proof]);
  expect(stdout).toMatch(/ 200 OK/);
  const hidden = await check(new URL("?key=hunter2&x", url), "--only SIG-01 --json");
  expect(hidden.stdout + hidden.stderr).not.toContain("hunter2");
  expect(hidden.records.at(-1)).toMatchObject({ proof: expect.stringContaining("?key=…&…'") });
});

it("on a terminal, a receiver with one hole gets a report that fits a screen", async () => {
  const { url } = await checkByKind();
  const flags = "--no-color --skip HTTP-10,HTTP-11,HTTP-12";
  const run = await check(url, flags, { isTTY: { stdout: true } });
  const rows = run.stdout
    .trimEnd()
    .split("\n")
    .flatMap((line) => line.match(/.{1,80}/g) ?? [""]);
  expect(rows.length).toBeLessThanOrEqual(24);
  expect(run.stdout).toMatch(/confirmed: property.updated,/);
});

it("on a terminal only, lines are wrapped, and recommendations share a line, except with --verbose", async () => {
  const { url } = await failsOnBadJson();
  const isTTY = { stdout: true };
  const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));
  const wide = "--no-color --only SIG,BODY-22";
  expect(widest((await check(url, wide, { isTTY })).stdout)).toBeLessThanOrEqual(80);
  expect(widest((await check(url, wide)).stdout)).toBeGreaterThan(100);
  const flags = "--no-color --only SIG-02,SIG-03";
  const alone = /^ +! SIG-03/m;
  const { stdout } = await check(url, flags, { isTTY });
  expect(stdout).toMatch(/^! recommended, see --verbose: SIG-02, SIG-03$/m);
  expect(stdout).not.toMatch(alone);
  expect((await check(url, `${flags} --verbose`, { isTTY })).stdout).toMatch(alone);
  expect((await check(url, flags)).stdout).toMatch(alone);
});

it("settle is how long a late second run is watched for", async () => {
  const { url } = await right();
  let asked = 0;
  const observer = await serve((_, response) => {
    asked++;
    // tried, polled, settled, then polled and settled again
    response.end(asked > 3 ? "2" : asked > 1 ? "1" : "0");
  });
  const flags = `--only DUP-04 --json --observe ${observer.href}`;
  const started = performance.now();
  const { records } = await check(url, `${flags} HOOKPORTER_SETTLE=300ms`);
  expect(records[1]).toMatchObject({ id: "DUP-04", outcome: "passed", runs: 1 });
  expect(performance.now() - started).toBeGreaterThanOrEqual(300);
  expect((await check(url, `${flags} HOOKPORTER_SETTLE=soon`)).code).toBe(2);
});

it("a failed recommended case fails the run only with --strict", async () => {
  const { url } = await failsOnBadJson();
  expect((await check(url, "--only BODY-22")).code).toBe(0);
  expect((await check(url, "--only BODY-22 --strict")).code).toBe(1);
});

it("check exits with 5 if nothing listens, or the receiver stops answering during the run", async () => {
  expect((await check(new URL("http://127.0.0.1:1/webhooks"), "--only SIG")).code).toBe(5);
  let requests = 0;
  const url = await serve(
    (_, response) => void (++requests === 1 && response.writeHead(200).end()),
  );
  const run = await check(url, "--only KIND --timeout 50ms");
  expect(run.code).toBe(5);
  expect(run.stderr).toContain("the run ended early: 3 cases in a row got no answer");
});

it("check refuses two forms for one output, and an empty observer", async () => {
  for (const argv of [
    ["--json", "--format", "junit"],
    ["--observe", " "],
  ])
    expect((await runCli(["check", "3000", ...argv], { env })).code).toBe(2);
});

it("--format prints one document and nothing else; --output writes it to a file, and the pretty report is printed", async () => {
  const cwd = tempFolder();
  const { url } = await right();
  const argv = "--only SIG-01 --format";
  expect(JSON.parse((await check(url, `${argv} json`)).stdout).cases).toHaveLength(2);
  const xml = /^<\?xml[\s\S]*<\/testsuites>\n$/;
  expect((await check(url, `${argv} junit`)).stdout).toMatch(xml);
  const written = (name: string) => readFileSync(join(cwd, name), "utf8");
  const junit = await check(url, `${argv} junit --output check.xml`, { cwd });
  expect(junit.stdout).toContain("2 of 2 passed");
  expect(written("check.xml")).toMatch(xml);
  await check(url, `${argv} json --output check.json --json`, { cwd });
  expect(JSON.parse(written("check.json"))).toMatchObject({ schemaVersion: 1 });
  const coloured = { env: { ...env, FORCE_COLOR: "1" }, cwd };
  await check(url, "--only SIG-01 --output check.txt", coloured);
  expect(written("check.txt")).toMatch(/^passed\n✓ KIND/);
  expect((await check(url, "--only SIG-01 --output no/such/folder.xml")).code).toBe(2);
});

it("--list needs neither a URL nor a secret", async () => {
  const run = await runCli(["check", "--list"]);
  expect(run.code).toBe(0);
  expect(run.stdout.trim().split("\n").length).toBeGreaterThan(100);
  const { records } = await runCli(["check", "--list", "--only", "DUP", "--json"]);
  expect(records.slice(3, 5)).toMatchObject([
    { type: "case", id: "DUP-03", observed: false },
    { type: "case", id: "DUP-04", observed: true },
  ]);
});

it("--signature-header and --observe are used", async () => {
  const { url, observe = "" } = await right();
  const flags = `--only DUP-05 --observe ${observe}`;
  expect((await check(url, flags)).stdout).toContain("2 of 2 passed");
  const other = await check(url, `${flags} --signature-header x-other`);
  expect(other).toMatchObject({ code: 1, stdout: expect.stringContaining("KIND-01") });
});

it.each(["pretty", "json", "junit", "github", "markdown"])(
  "the %s report names the encoding that the receiver uses, and never the secret",
  async (format) => {
    const { url } = await refusing({ key: SECRET });
    const flags = `--only SIG-01 --format ${format}`;
    const run = await check(url, flags, { env: { HOOKPORTER_SECRET: base64 } });
    expect(run.code).toBe(1);
    const text = run.stdout + run.stderr;
    expect(text.replaceAll("\\", "")).toMatch(
      /secret as base64.*decoded in the receiver.*HOOKPORTER_SECRET_ENCODING=base64/s,
    );
    for (const secret of [SECRET, base64]) expect(text).not.toContain(secret);
  },
);

it("a cause with long names is printed whole, with the fix", async () => {
  const { url } = await reSerialiser("php");
  const { stdout } = await check(url, "--only SIG-01");
  const cause = /as PHP's `json_encode`.* prints it.*file_get_contents\("php:\/\/input"\)/g;
  expect(stdout.match(cause)).toHaveLength(2);
});

it("--wait waits until a receiver answers that is being started, and says if it does not", async () => {
  let seen = 0;
  const url = await serve((request, response) => {
    const isFirst = ++seen <= 2;
    response.writeHead(isFirst ? 503 : request.method === "GET" ? 405 : 200).end();
  });
  const run = await check(url, "--only KIND-01 --wait 20s");
  expect(run.code).toBe(0);
  const away = await check(new URL("http://127.0.0.1:1/webhooks"), "--only KIND-01 --wait 1ms");
  expect(away.code).toBe(5);
  expect(away.stderr).toMatch(
    /expected an answer from \S+ within .*, got none: start the receiver/,
  );
});

it.each([
  ["pretty", /^::error::x/m],
  ["junit", /\]\]>|<b>/],
  ["github", /^::error::x/m],
  ["markdown", /@all|[^\\]<b>|[^\\]`#/],
])(
  "what a receiver answers hides, reorders and ends nothing in a report: %s",
  async (format, live) => {
    const hidden = "a\u202eb\u200bc\u001b[31md\r\n::error::x]]></failure>|`#1 @all <b>";
    const url = await serve((_, response) => response.writeHead(401).end(hidden));
    const { stdout } = await check(url, `--only SIG-03 --format ${format}`);
    expect(stdout).toContain("Its answer begins");
    expect(stdout).not.toMatch(live);
    expect(stdout).not.toMatch(/[\p{Cf}\u2028]/u);
    expect(stdout).not.toContain("\u001b");
  },
);
