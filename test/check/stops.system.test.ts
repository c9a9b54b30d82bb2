import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DOMParser } from "@xmldom/xmldom";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli, tempFolder } from "../cli/fake-io.ts";
import { right } from "./receivers/right.ts";
import { SECRET, serve } from "./receivers/under-test.ts";
import { optionsFor, runCheck, verdictText } from "./sample.ts";

/**
 * A receiver of the simplest kind, in a process of its own, which `after` ends or not with the
 * body.
 */
const PROGRAM = (after: string) => `
  const { createServer } = require("node:http");
  const { createHmac } = require("node:crypto");
  createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const wanted = "sha256=" + createHmac("sha256", process.env.SECRET).update(body).digest("hex");
    if (request.headers["x-service-signature"] !== wanted) return response.writeHead(401).end();
    ${after}
    response.writeHead(request.method === "POST" ? 200 : 405).end();
  }).listen(Number(process.env.PORT), "127.0.0.1", function () { console.log(this.address().port); });
`;

/**
 * A free port that the system gives to nobody who asks for any: once the program has ended, no
 * other test may answer there.
 */
async function quietPort(): Promise<string> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return String(port);
  }
}

/** Starts a program; with `again`, starts it once more when it has ended, on the same port. */
async function startProgram(program: string, again = false): Promise<URL> {
  const start = async (port: string) => {
    const env = { ...process.env, SECRET, PORT: port };
    const child = spawn(process.execPath, ["-e", program], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit").then(() =>
      Promise.reject(new Error("the program ended at its start")),
    );
    ended.catch(() => {});
    const [line] = (await Promise.race([once(child.stdout, "data"), ended])) as [Buffer];
    return { child, port: String(line).trim() };
  };
  const { child, port } = await start(await quietPort());
  if (again) child.once("exit", () => setTimeout(() => void start(port).catch(() => {}), 300));
  return new URL(`http://127.0.0.1:${port}/webhooks`);
}

const env = { HOOKPORTER_SECRET: SECRET };

/**
 * The errors of a JUnit report: the name of each case that is one, and the counts of errors and
 * failures.
 */
function errorsIn(xml: string) {
  const root = new DOMParser().parseFromString(xml, "text/xml").documentElement;
  const names = [...(root?.getElementsByTagName("error") ?? [])].map((error) =>
    (error.parentNode as unknown as { getAttribute(name: string): string | null })
      .getAttribute("name")
      ?.replace(/ .*/, ""),
  );
  const suites = [...(root?.getElementsByTagName("testsuite") ?? [])].map((suite) =>
    suite.getAttribute("errors"),
  );
  return {
    names,
    errors: root?.getAttribute("errors"),
    failures: root?.getAttribute("failures"),
    suites,
  };
}

/** Runs the command with a JUnit report. */
async function checkWithReport(url: URL, ...flags: string[]) {
  const file = join(tempFolder(), "report.xml");
  const output = ["--format", "junit", "--output", file];
  const argv = ["check", url.href, ...output, "--timeout", "500ms", ...flags];
  const { code, stdout } = await runCli(argv, { env });
  return { code, stdout, junit: errorsIn(readFileSync(file, "utf8")) };
}

describe("a receiver that does not catch errors while it reads", () => {
  it.each([
    ["alone", ["--only", "HTTP-10"]],
    ["with those after it", ["--only", "HTTP-08,HTTP-10,HTTP-13,HTTP-14"]],
  ])("is stopped by one unsigned sender, for which HTTP-10 %s is blamed", async (_, flags) => {
    const { code, stdout, junit } = await checkWithReport(
      await startProgram(PROGRAM("")),
      ...flags,
    );
    const [first = "", ...others] = stdout.trimEnd().split("\n");
    expect(code).toBe(1);
    expect(first).toMatch(
      /^failed: after HTTP-10, .*one unsigned sender that hangs up within its body stops the receiver/,
    );
    expect(others.at(-1)).toMatch(/^failed: after HTTP-10/);
    expect(stdout).not.toMatch(/passed\n|start the receiver|HTTP-13 +GET/);
    expect(junit).toEqual({ names: ["HTTP-10"], errors: "1", failures: "0", suites: ["0", "1"] });
  });

  it("and is started again fails the same case, and the run goes on", async () => {
    const url = await startProgram(PROGRAM(""), true);
    const { results, stopped } = await runCheck({
      ...optionsFor(url, "HTTP-10", "HTTP-13"),
      patience: 5000,
    });
    expect(stopped).toBeNull();
    expect(results.slice(1)).toMatchObject([
      {
        id: "HTTP-10",
        outcome: "failed",
        severity: "required",
        fix: expect.stringMatching(/started again: one unsigned/),
      },
      { id: "HTTP-13", outcome: "passed" },
    ]);
  });
});

it("a receiver that a signed body stops is told that any holder of the secret can stop it", async () => {
  const url = await startProgram(PROGRAM("JSON.parse(body);"));
  const { code, stdout, junit } = await checkWithReport(url, "--only", "BODY-21,BODY-22,BODY-23");
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^failed: after BODY-21, .*any holder of the secret, such as the service, can stop the receiver/,
  );
  expect(junit).toMatchObject({ names: ["BODY-21"], errors: "1", failures: "0" });
});

it("a receiver whose process ends only after its answer fails the case that it answered last", async () => {
  const url = await startProgram(
    PROGRAM('if (String(body).includes("lead.created")) setTimeout(() => process.exit(1), 20);'),
  );
  const options = optionsFor(url, "KIND");
  const seen: string[] = [];
  const { results, endedBy } = await runCheck({
    ...options,
    rate: 3, // so that it has ended before the next case, on a busy machine too
    onResult: ({ checkCase, outcome }) => seen.push(`${checkCase.id} ${outcome}`),
  });
  const failed = results.filter(({ outcome }) => outcome === "failed");
  expect(failed).toMatchObject([{ id: endedBy, severity: "required", answer: "200" }]);
  expect(seen).toEqual(results.map(({ id, outcome }) => `${id} ${outcome}`));
});

it("a receiver that answers nobody after half a body, but is still there, fails that case", async () => {
  let isStuck = false;
  const url = await serve((request, response) => {
    request.once("aborted", () => {
      isStuck = true;
    });
    request.resume().once("end", () => isStuck || response.writeHead(200).end());
  });
  const report = await runCheck({ ...optionsFor(url, "HTTP-10", "HTTP-14"), timeout: 200 });
  expect(report).toMatchObject({ endedBy: "HTTP-10", isReceiversFault: true });
  expect(report.stopped).toMatch(/valid deliveries get no answer from then on/);
});

it("one request asks whether a right receiver still answers, after each case that breaks off", async () => {
  const { url } = await right();
  const run = async (...only: string[]) => (await runCheck(optionsFor(url, ...only))).requests;
  const without = await run("HTTP-13");
  expect(await run("HTTP-13", "HTTP-10", "HTTP-11", "HTTP-12")).toBe(without + 6);
});

describe("an answer that does not end", () => {
  const endless = (from: number) => {
    let requests = 0;
    return serve((_, response) => {
      response.writeHead(200).write("x");
      if (++requests < from) response.end();
    });
  };

  it("confirms no delivery: the control fails, and nothing else is sent", async () => {
    const { code, stdout, junit } = await checkWithReport(await endless(1), "--only", "KIND");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^failed, valid deliveries are refused: KIND-01.*endless 200: the answer begins, but does not end/,
    );
    expect(junit).toMatchObject({ errors: "0", failures: "1" });
  });

  it("ends the run if it comes three times in a row", async () => {
    const report = await runCheck({ ...optionsFor(await endless(2), "KIND"), timeout: 100 });
    const failed = report.results.filter(({ outcome }) => outcome === "failed");
    expect(failed.map(({ answer, severity }) => [answer, severity])).toEqual(
      Array(3).fill(["endless 200", "required"]),
    );
    expect(report).toMatchObject({ isReceiversFault: true, endedBy: failed[2]?.id });
    expect(verdictText(report, false)).toMatch(
      /^failed: the answers to 3 cases in a row did not end/,
    );
  });
});

describe("a run that cannot begin", () => {
  it.each([
    ["since nothing listens", ["http://127.0.0.1:1/webhooks"], 5],
    ["since no URL was given", [], 2],
    ["since there is no secret", ["3000", "--secret-env", "NOT_SET"], 3],
    ["since its event is none", ["3000", "--event", "none.json"], 2],
  ])("%s replaces the report of an earlier one", async (_, argv, code) => {
    for (const format of ["junit", "json", "github", "markdown", "pretty"]) {
      const file = join(tempFolder(), "report");
      writeFileSync(file, "stale: passed");
      const run = await runCli(["check", ...argv, "--format", format, "--output", file], { env });
      const text = readFileSync(file, "utf8");
      expect(run.code).toBe(code);
      expect(text).toContain("no case was run: ");
      expect(text).not.toContain("stale");
      if (format === "junit")
        expect(errorsIn(text)).toEqual({
          names: ["run"],
          errors: "1",
          failures: "0",
          suites: ["1"],
        });
    }
  });
});
