import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOMParser, type Element } from "@xmldom/xmldom";
import { expect } from "vitest";
import { codeOf } from "../docs/markdown.ts";
import { closedPort } from "../relay/tunnel/machine.ts";
import { journey } from "./kit/journey.ts";
import { linesOf } from "./kit/pages.ts";
import type { World } from "./kit/world.ts";
import { PYTHON_RECEIVER, UNSIGNED_GET_IN, WRONG_SIGNATURES } from "./receivers/other-tools.ts";

const { step } = journey("qa");

const PAGE = "docs/quickstart/qa.md";
const SECRET = "61207365637265742074686174206c6f6f6b73206c696b6520686578";
const SUMMARY = /\d+ of \d+ passed(?:, \d+ \w+ failed)*/;

/** A folder of the reader's, who has the pages at hand; the folder of the tests has no package. */
const shelf = (world: World) => join(world.folder, "shelf");
const page = (world: World) => world.read(shelf(world), "node_modules", "hookporter", PAGE);
let port = 0;

/** A line of the page, on the port of this journey. */
const here = (line: string) => line.replace("localhost:3000", `127.0.0.1:${port}`);

const withSecret = { env: { HOOKPORTER_SECRET: SECRET } };

/** What a command with `--json` printed, without the lines for people. */
function recordsIn(text: string) {
  return text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
}

step(
  "check names the fault of the page's receiver, in an empty folder on a terminal",
  async (world) => {
    const install = await world.shell(
      world.folder,
      "mkdir shelf tests && cd shelf && npm install --no-audit --no-fund hookporter",
    );
    expect(install, install.text).toMatchObject({ code: 0 });
    port = await closedPort();
    const tests = join(world.folder, "tests");
    const [receiver = ""] = codeOf(page(world), "js");
    const onOurPort = receiver.replace(".listen(3000)", `.listen(${port}, "127.0.0.1")`);
    expect(onOurPort).toContain(String(port));
    writeFileSync(join(tests, "receiver.mjs"), onOurPort);

    const first = await world.terminal("receiver", tests, 120);
    const starts = linesOf(shelf(world), PAGE, "## 1. Have a receiver");
    expect(starts).toHaveLength(2);
    for (const line of starts) first.type(line);
    const second = await world.terminal("check", tests, 120);
    const [secret = "", check = ""] = linesOf(shelf(world), PAGE, "## 2. Check it");
    expect((await second.run(secret)).code).toBe(0);
    second.type(here(check));
    await second.until(/Ok to proceed\?/);
    second.press("Enter");
    const checked = await second.ended(here(check));
    expect(checked, checked.text).toMatchObject({ code: 1 });
    expect(SUMMARY.exec(checked.text)?.[0]).toBe(SUMMARY.exec(page(world))?.[0]);
  },
);

step("check passes once the receiver is mended as the page says", async (world) => {
  const tests = join(world.folder, "tests");
  const [, mend = ""] = codeOf(page(world), "js");
  const faulty = / {4}const event = .*\n {4}const hmac = .*\n/;
  world.edit(join(tests, "receiver.mjs"), faulty, `${mend.trimEnd()}\n`);
  const first = await world.terminal("receiver", tests);
  first.press("C-c");
  await first.ended("node receiver.mjs");
  first.type("node receiver.mjs");
  const second = await world.terminal("check", tests);
  const [check = ""] = linesOf(shelf(world), PAGE, "## 3. Read the report");
  const checked = await second.run(here(check));
  expect(checked, checked.text).toMatchObject({ code: 0 });
  const printed = page(world).slice(page(world).indexOf("## 3."));
  expect(SUMMARY.exec(checked.text)?.[0]).toBe(SUMMARY.exec(printed)?.[0]);
});

step("check.xml has the counts of the report that check prints beside it", async (world) => {
  const tests = join(world.folder, "tests");
  const second = await world.terminal("check", tests);
  const [check = ""] = linesOf(shelf(world), PAGE, "## 4. Put it into CI");
  const checked = await second.run(here(check));
  expect(checked, checked.text).toMatchObject({ code: 0 });
  expect(countsOf(world.read(tests, "check.xml"))).toEqual(countsIn(checked.text));
});

step("verify names the cause of each signature that another tool made wrongly", async (world) => {
  const tests = join(world.folder, "tests");
  const body =
    '{"event":"payment.received","data":{"id":"pay_7","amount":"1450.00","payer":"Zoë"}}';
  writeFileSync(join(tests, "body.json"), body);
  for (const { madeBy, line, causes } of WRONG_SIGNATURES) {
    const command = `npx hookporter verify body.json --signature "$(${line})" --json`;
    const verified = await world.shell(tests, command, withSecret);
    const [record] = recordsIn(verified.text);
    const found = record?.causes?.map((cause: { code: string }) => cause.code);
    expect({ madeBy, code: verified.code, found }).toEqual({ madeBy, code: 4, found: causes });
    expect(record.cause, madeBy).toBe(causes[0] ?? "unexplained");
  }
});

step(
  "verify accepts a right signature, and the wrong one once its fix is applied",
  async (world) => {
    const tests = join(world.folder, "tests");
    const lineOf = (name: string) =>
      WRONG_SIGNATURES.find(({ madeBy }) => madeBy.includes(name))?.line ?? "";
    const right = lineOf("upper case").replace("strtoupper(", "(");
    const verify = `npx hookporter verify body.json --signature "$(${right})"`;
    const verified = await world.shell(tests, verify, withSecret);
    expect(verified, verified.text).toMatchObject({ code: 0 });

    const decoded = `npx hookporter verify body.json --signature "$(${lineOf("hex of the secret")})"`;
    const refused = await world.shell(tests, decoded, withSecret);
    const [, name = "", value = ""] =
      /`(HOOKPORTER_SECRET_ENCODING)=(\w+)`/.exec(refused.text) ?? [];
    expect(refused.code, refused.text).toBe(4);
    const mended = await world.shell(tests, decoded, {
      env: { HOOKPORTER_SECRET: SECRET, [name]: value },
    });
    expect(mended, mended.text).toMatchObject({ code: 0 });

    // The advice for another secret: compare the fingerprints that both sides print.
    const other = `npx hookporter verify body.json --signature "$(${lineOf("another secret")})"`;
    const unexplained = await world.shell(tests, other, withSecret);
    const [, ours = ""] = /fingerprint (\w{8})/.exec(unexplained.text) ?? [];
    const print = "npx hookporter sign body.json --json";
    const own = recordsIn((await world.shell(tests, print, withSecret)).text)[0];
    const others = { env: { HOOKPORTER_SECRET: "a-secret-of-another-subscription" } };
    const their = recordsIn((await world.shell(tests, print, others)).text)[0];
    expect(own.secretFingerprint).toBe(ours);
    expect(their.secretFingerprint).not.toBe(ours);
  },
);

step(
  "check lets the fault of a PHP receiver out as a curl line, which is answered as it says",
  async (world) => {
    const tests = join(world.folder, "tests");
    const free = await closedPort();
    const url = `http://127.0.0.1:${free}/webhooks`;
    writeFileSync(join(tests, "receiver.php"), UNSIGNED_GET_IN);
    const serve = `php -S 127.0.0.1:${free} receiver.php`;
    const receiver = await world.start(tests, serve, /started/, withSecret.env);
    const check = `npx hookporter check ${url} --only KIND,SIG,BODY`;

    // What goes into a ticket: the one line, a curl command and the fix.
    const asked = await world.shell(
      tests,
      `${check} --format json --output report.json`,
      withSecret,
    );
    expect(asked, asked.text).toMatchObject({ code: 1 });
    const report = JSON.parse(world.read(tests, "report.json"));
    expect(report.verdict).toMatch(/^FORGED DELIVERIES GET IN: /);
    expect(report.verdict).toContain(report.diagnosis[0]);
    expect(asked.text.split("\n")).toContain(report.verdict);
    expect(asked.text).toContain(`try it: ${report.proof}\n`);
    const wrong = report.cases.filter(isFault);
    expect(wrong.map(({ id }: Case) => id)).toContain("SIG-01");
    for (const { id, fix } of wrong) expect(fix, id).toMatch(/: \S/);
    expect((await world.shell(tests, report.proof)).text).toMatch(/^HTTP\/1\.1 200 /m);

    const markdown = await world.shell(tests, `${check} --format markdown`, withSecret);
    expect(markdown.code).toBe(1);
    expect(markdown.text).toContain(`**${report.verdict}**`);
    const [proof = ""] = codeOf(markdown.text, "sh");
    expect((await world.shell(tests, proof.trim())).text).toMatch(/^HTTP\/1\.1 200 /m);
    const rows = markdown.text.split("\n").filter((line) => line.startsWith("| "));
    for (const { id, fix } of wrong)
      expect(rows.find((row) => row.startsWith(`| ${id} |`))?.replaceAll("\\", "")).toContain(fix);

    const github = await world.shell(tests, `${check} --format github`, withSecret);
    const annotations = github.text.split("\n").filter((line) => line.startsWith("::"));
    for (const line of annotations)
      expect(line).toMatch(/^::(error|warning|notice) title=[^:,]+::\S/);
    const errors = annotations.filter((line) => line.startsWith("::error ")).length;
    expect({ code: github.code, errors }).toEqual({ code: 1, errors: wrong.length + 1 });

    const output = `${check} --format junit --output unsigned.xml`;
    const junit = await world.shell(tests, output, withSecret);
    expect(junit.code).toBe(1);
    expect(countsOf(world.read(tests, "unsigned.xml"))).toEqual(countsIn(junit.text));
    expect(countsIn(junit.text).failures).toBe(report.summary.failedRequired);

    // The fix of SIG-01. PHP may keep the file as it was for some seconds, so it starts again.
    await receiver.stop();
    world.edit(join(tests, "receiver.php"), "?? null", '?? ""');
    world.edit(join(tests, "receiver.php"), "$given !== null && ", "");
    await world.start(tests, serve, /started/, withSecret.env);
    expect(await world.shell(tests, check, withSecret)).toMatchObject({ code: 0 });
    expect((await world.shell(tests, report.proof)).text).toMatch(/^HTTP\/1\.1 401 /m);
  },
);

step("check sees only with --observe that a Python receiver loses events", async (world) => {
  const tests = join(world.folder, "tests");
  writeFileSync(join(tests, "receiver.py"), PYTHON_RECEIVER);
  const reports = new Map<string, { code: number; faults: readonly string[] }>();
  for (const same of ["event", "data"]) {
    const line = `python3 receiver.py ${same}`;
    const receiver = await world.start(tests, line, /port \d+/, withSecret.env);
    const at = `http://127.0.0.1:${/port (\d+)/.exec(receiver.printed())?.[1]}`;
    const check = `npx hookporter check ${at}/webhooks --only KIND,SIG,DUP --timeout 2s`;
    const counter = `const url = "${at}/?id=" + process.argv[2];
console.log(await (await fetch(url)).text());
`;
    writeFileSync(join(tests, "count-events.mjs"), counter);
    const observers = {
      nobody: "",
      "a URL": `--observe "${at}/test/runs?id={marker}"`,
      "a command": '--observe "node count-events.mjs"',
    };
    for (const [observer, flag] of Object.entries(observers)) {
      const { code, text } = await world.shell(tests, `${check} ${flag} --json`, withSecret);
      const faults = recordsIn(text)
        .filter(isFault)
        .map(({ id }: Case) => id);
      reports.set(`${same}, observed by ${observer}`, { code, faults });
    }
    await receiver.stop();
  }
  const passed = { code: 0, faults: [] };
  const loses = { code: 1, faults: ["DUP-08", "DUP-11", "DUP-12", "DUP-13"] };
  expect(Object.fromEntries(reports)).toEqual({
    "event, observed by nobody": passed,
    "event, observed by a URL": passed,
    "event, observed by a command": passed,
    "data, observed by nobody": passed,
    "data, observed by a URL": loses,
    "data, observed by a command": loses,
  });
});

interface Case {
  readonly id: string;
  readonly outcome?: string;
  readonly severity?: string;
  readonly fix?: string;
}

/** Whether a record is that of a case that fails the run. */
function isFault({ outcome, severity }: Case): boolean {
  return outcome === "failed" && severity === "required";
}

/** The numbers that a report for people ends with. */
function countsIn(text: string) {
  const count = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    tests: count(/\d+ of (\d+) passed/),
    failures: count(/(\d+) required failed/),
    skipped: count(/(\d+) recommended failed/),
  };
}

/** The same numbers, counted from the cases of a JUnit file; its suites must say them too. */
function countsOf(xml: string) {
  const tree = new DOMParser().parseFromString(xml, "text/xml");
  const all = (name: string) => [...tree.getElementsByTagName(name)] as readonly Element[];
  const counts = {
    tests: all("testcase").length,
    failures: all("failure").length,
    skipped: all("skipped").length,
  };
  for (const name of ["tests", "failures", "skipped"] as const) {
    const said = all("testsuite").map((suite) => Number(suite.getAttribute(name)));
    expect(
      said.reduce((sum, one) => sum + one, 0),
      name,
    ).toBe(counts[name]);
  }
  return counts;
}
