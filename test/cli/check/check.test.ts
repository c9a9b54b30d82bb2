import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { checkByKind } from "../../check/receivers/check-by-kind.ts";
import { endsWith } from "../../check/receivers/ends-with.ts";
import { failsOnBadJson } from "../../check/receivers/fails-on-bad-json.ts";
import { right } from "../../check/receivers/right.ts";
import { SECRET, serve } from "../../check/receivers/under-test.ts";
import { runCli, tempFolder } from "../fake-io.ts";

const env = { HOOKPORTER_SECRET: SECRET };

it("check exits with 0 if all cases pass, with a line per group and a summary", async () => {
  const { url } = await right();
  const run = await runCli(["check", url.href, "--only", "SIG,kind-13", "--only", "DUP-01"], {
    env,
  });
  expect(run).toMatchObject({ code: 0 });
  expect(run.stdout).toMatch(
    /^passed\n✓ KIND {3}2 of 2 {2}event kinds\n✓ SIG {2}46 of 46 {2}signatures\n✓ DUP .*\n49 of 49 passed, \d+ requests .*\npassed\n$/,
  );
});

it("check exits with 1 if a required case fails, and prints what was sent, the answer and the fix", async () => {
  const { url } = await endsWith();
  const run = await runCli(["check", url.href, "--only", "SIG-03"], { env });
  expect(run.code).toBe(1);
  expect(run.stdout).toMatch(
    /^failed\n[\s\S]*✗ SIG-03 {2}the bare hex digest, .* → 200 \(right: refused\)\n +it accepts another form/,
  );
});

it("the verdict is the first line and the last, then what is wrong comes before what was not seen", async () => {
  const url = await serve((_, response) => response.writeHead(204).end());
  const run = await runCli(["check", url.href, "--only", "KIND,DUP"], { env });
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
});

it("a report of each format names a cause once that the verdict names", async () => {
  const url = await serve((_, response) => response.writeHead(204).end());
  const report = async (format: string) => {
    const argv = ["check", url.href, "--only", "KIND-01", "--format", format];
    return (await runCli(argv, { env })).stdout;
  };
  const [first = ""] = (await report("pretty")).split("\n");
  const [, cause = ""] = /^failed, valid deliveries are refused: (.+)$/.exec(first) ?? [];
  expect(cause).not.toBe("");
  for (const format of ["pretty", "github", "markdown", "junit"])
    expect((await report(format)).split(cause), format).toHaveLength(2);
});

it("a forgery that gets in is named first and last, with a curl command that proves it", async () => {
  const url = await serve((_, response) => response.writeHead(200).end());
  const run = await runCli(["check", url.href, "--only", "SIG"], { env });
  expect(run.code).toBe(1);
  const lines = run.stdout.trimEnd().split("\n");
  for (const line of [lines[0], lines.at(-1)])
    expect(line).toMatch(/^FORGED DELIVERIES GET IN: The signature is not/);
  const [, proof = ""] = /^try it: (curl .*)$/m.exec(run.stdout) ?? [];
  const { stdout } = await promisify(execFile)("sh", ["-c", proof]);
  expect(stdout).toMatch(/ 200 OK/);
});

it("neither the report nor its proof shows the values of the query of the URL", async () => {
  const url = await serve((_, response) => response.writeHead(200).end());
  const run = await runCli(["check", `${url.href}?key=hunter2&x`, "--only", "SIG-01", "--json"], {
    env,
  });
  expect(run.stdout + run.stderr).not.toContain("hunter2");
  expect(run.records.at(-1)).toMatchObject({ proof: expect.stringContaining("?key=…&…'") });
});

it("on a terminal, a receiver with one hole gets a report that fits a screen", async () => {
  const { url } = await checkByKind();
  const skip = ["--skip", "HTTP-10,HTTP-11,HTTP-12"];
  const run = await runCli(["check", url.href, "--no-color", ...skip], {
    env,
    isTTY: { stdout: true },
  });
  const rows = run.stdout
    .trimEnd()
    .split("\n")
    .flatMap((line) => line.match(/.{1,80}/g) ?? [""]);
  expect(rows.length).toBeLessThanOrEqual(24);
  expect(run.stdout).toMatch(/confirmed: property.updated,/);
});

it("the summary has the response times", async () => {
  const { url } = await right();
  const run = await runCli(["check", url.href, "--only", "SIG-01"], { env });
  expect(run.stdout).toMatch(/, response times: median \d+ ms, slowest .*\n/);
  const { records } = await runCli(["check", url.href, "--only", "SIG-01", "--json"], { env });
  expect(records.at(-1)?.responseTimes).toMatchObject({ median: expect.any(Number) });
  expect(records[0]?.responseTime).toEqual(expect.any(Number));
});

it("settle is how long a late second run is watched for", async () => {
  const { url } = await right();
  let asked = 0;
  const observer = await serve((_, response) => {
    asked++;
    // tried, polled, settled, then polled and settled again
    response.end(asked > 3 ? "2" : asked > 1 ? "1" : "0");
  });
  const argv = ["check", url.href, "--only", "DUP-04", "--observe", observer.href, "--json"];
  const started = performance.now();
  const { records } = await runCli([...argv, "HOOKPORTER_SETTLE=300ms"], { env });
  expect(records[1]).toMatchObject({ id: "DUP-04", outcome: "passed", runs: 1 });
  expect(performance.now() - started).toBeGreaterThanOrEqual(300);
  expect((await runCli([...argv, "HOOKPORTER_SETTLE=soon"], { env })).code).toBe(2);
});

it("a failed recommended case fails the run only with --strict", async () => {
  const { url } = await failsOnBadJson();
  expect((await runCli(["check", url.href, "--only", "BODY-22"], { env })).code).toBe(0);
  expect((await runCli(["check", url.href, "--only", "BODY-22", "--strict"], { env })).code).toBe(
    1,
  );
});

it("check sends nothing to another machine without --yes", async () => {
  const run = await runCli(["check", "http://receiver.invalid/webhooks"], { env });
  expect(run).toMatchObject({ code: 2, stdout: "" });
  expect(run.stderr.trim().split("\n")).toHaveLength(1);
});

it("check exits with 5 if nothing listens", async () => {
  expect((await runCli(["check", "http://127.0.0.1:1/webhooks"], { env })).code).toBe(5);
});

it("check exits with 5 if the receiver stops answering during the run", async () => {
  let requests = 0;
  const url = await serve(
    (_, response) => void (++requests === 1 && response.writeHead(200).end()),
  );
  const run = await runCli(["check", url.href, "--only", "KIND", "--timeout", "50ms"], { env });
  expect(run.code).toBe(5);
  expect(run.stderr).toContain("the run ended early: 3 cases in a row got no answer");
});

it.each([
  ["no URL", ["check"], 2],
  ["an unknown case", ["check", "3000", "--only", "SIG-99"], 2],
  ["a word that is no case", ["check", "3000", "--skip", "sig_1"], 2],
  ["an unknown format", ["check", "3000", "--format", "html"], 2],
  ["too much at once", ["check", "3000", "HOOKPORTER_CONCURRENCY=17"], 2],
  ["two forms for one output", ["check", "3000", "--json", "--format", "junit"], 2],
  ["an empty observer", ["check", "3000", "--observe", " "], 2],
  ["no secret", ["check", "3000", "--secret-env", "NOT_SET"], 3],
])("check refuses %s", async (_, argv, code) => {
  expect((await runCli(argv, { env })).code).toBe(code);
});

it("--json prints a record per case, then a summary", async () => {
  const { url } = await right();
  const { records } = await runCli(["check", url.href, "--only", "SIG-01", "--json"], { env });
  expect(records.map(({ type, id, outcome, exitCode }) => [type, id ?? exitCode, outcome])).toEqual(
    [
      ["check", "KIND-01", "passed"],
      ["check", "SIG-01", "passed"],
      ["summary", 0, undefined],
    ],
  );
});

it("--output writes the report to a file, and the pretty one is printed", async () => {
  const cwd = tempFolder();
  const { url } = await right();
  const argv = ["check", url.href, "--only", "SIG-01", "--output"];
  const junit = await runCli([...argv, "check.xml", "--format", "junit"], { env, cwd });
  expect(junit.stdout).toContain("2 of 2 passed");
  expect(readFileSync(join(cwd, "check.xml"), "utf8")).toMatch(/^<\?xml/);
  await runCli([...argv, "check.json", "--format", "json", "--json"], { env, cwd });
  expect(JSON.parse(readFileSync(join(cwd, "check.json"), "utf8"))).toMatchObject({
    schemaVersion: 1,
  });
  await runCli([...argv, "check.txt"], { env: { ...env, FORCE_COLOR: "1" }, cwd });
  expect(readFileSync(join(cwd, "check.txt"), "utf8")).toMatch(/^passed\n✓ KIND/);
});

it("a report that cannot be written is an error", async () => {
  const { url } = await right();
  const run = await runCli(
    ["check", url.href, "--only", "SIG-01", "--output", "no/such/folder.xml"],
    {
      env,
    },
  );
  expect(run.code).toBe(2);
});

it("--format prints one JSON or XML document and nothing else", async () => {
  const { url } = await right();
  const argv = ["check", url.href, "--only", "SIG-01", "--format"];
  const { cases } = JSON.parse((await runCli([...argv, "json"], { env })).stdout);
  expect(cases).toHaveLength(2);
  expect((await runCli([...argv, "junit"], { env })).stdout).toMatch(
    /^<\?xml[\s\S]*<\/testsuites>\n$/,
  );
});

it("--list needs neither a URL nor a secret", async () => {
  const run = await runCli(["check", "--list"]);
  expect(run.code).toBe(0);
  expect(run.stdout.trim().split("\n").length).toBeGreaterThan(100);
  const { records } = await runCli(["check", "--list", "--only", "DUP", "--json"]);
  expect(records.map(({ type, id, observed }) => [type, id, observed]).slice(3, 5)).toEqual([
    ["case", "DUP-03", false],
    ["case", "DUP-04", true],
  ]);
});

it("--signature-header and --observe are used", async () => {
  const { url, observe = "" } = await right();
  const argv = ["check", url.href, "--only", "DUP-05", "--observe", observe];
  expect((await runCli(argv, { env })).stdout).toContain("2 of 2 passed");
  const other = await runCli([...argv, "--signature-header", "x-other"], { env });
  expect(other.code).toBe(1);
  expect(other.stdout).toContain("KIND-01");
});

it("lines are wrapped on a terminal only", async () => {
  const { url } = await failsOnBadJson();
  const argv = ["check", url.href, "--only", "SIG,BODY-22", "--no-color"];
  const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));
  expect(widest((await runCli(argv, { env, isTTY: { stdout: true } })).stdout)).toBeLessThanOrEqual(
    80,
  );
  expect(widest((await runCli(argv, { env })).stdout)).toBeGreaterThan(100);
});

it("recommendations share a line on a terminal, except with --verbose", async () => {
  const { url } = await failsOnBadJson();
  const argv = ["check", url.href, "--only", "SIG-02,SIG-03", "--no-color"];
  const shown = async (...more: string[]) =>
    (await runCli([...argv, ...more], { env, isTTY: { stdout: true } })).stdout;
  const alone = /^ +! SIG-03/m;
  expect(await shown()).toMatch(/^! recommended, see --verbose: SIG-02, SIG-03$/m);
  expect(await shown()).not.toMatch(alone);
  expect(await shown("--verbose")).toMatch(alone);
  expect((await runCli(argv, { env })).stdout).toMatch(alone);
});

it("check never prints the secret", async () => {
  const cwd = tempFolder();
  const { url } = await failsOnBadJson();
  const argv = [
    "check",
    url.href,
    "--only",
    "SIG",
    "--format",
    "junit",
    "--output",
    "check.xml",
    "--json",
  ];
  const { stdout, stderr } = await runCli(argv, { env, cwd });
  expect(existsSync(join(cwd, "check.xml"))).toBe(true);
  expect(stdout + stderr + readFileSync(join(cwd, "check.xml"), "utf8")).not.toContain(SECRET);
});
