import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import packageJson from "../package.json" with { type: "json" };
import { endsWith } from "./check/receivers/ends-with.ts";
import { right } from "./check/receivers/right.ts";
import { SECRET, serve } from "./check/receivers/under-test.ts";
import { tempFolder } from "./cli/fake-io.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly shell?: string;
      readonly uses?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly run?: string;
    }[];
  };
}

const root = join(import.meta.dirname, "..");
const action = parse(readFileSync(join(root, "action.yml"), "utf8")) as Action;

/** Runs the steps as a runner of GitHub Actions would, in a project that has hookporter. */
async function runAction(given: Readonly<Record<string, string>>) {
  const cwd = tempFolder();
  mkdirSync(join(cwd, "node_modules/.bin"), { recursive: true });
  symlinkSync(join(root, packageJson.bin.hookporter), join(cwd, "node_modules/.bin/hookporter"));
  const files = { GITHUB_STEP_SUMMARY: join(cwd, "summary"), GITHUB_OUTPUT: join(cwd, "outputs") };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: usual = "" }]) => [
      name,
      given[name] ?? usual,
    ]),
  );
  let log = "";
  let code = 0;
  for (const { run = "", env = {} } of action.runs.steps) {
    const filled = Object.entries(env).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => inputs[input] ?? ""),
    ]);
    const script = join(cwd, "step.sh");
    writeFileSync(script, run);
    const step = await bash(["--noprofile", "--norc", "-eo", "pipefail", script], cwd, {
      PATH: process.env.PATH ?? "",
      HOME: cwd,
      HOOKPORTER_SECRET: SECRET,
      ...files,
      ...Object.fromEntries(filled),
    });
    log += step.log;
    code ||= step.code;
  }
  const [summary, outputs] = Object.values(files).map((file) => readFileSync(file, "utf8"));
  return { code, log, summary, outputs };
}

function bash(argv: readonly string[], cwd: string, env: Record<string, string>) {
  return new Promise<{ code: number; log: string }>((resolve) => {
    execFile("bash", argv, { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), log: stdout + stderr }),
    );
  });
}

it("the action passes for a right receiver, with a summary", async () => {
  const { url } = await right();
  const run = await runAction({ url: url.href, only: "SIG-03,KIND-02" });
  expect(run).toMatchObject({ code: 0, outputs: "exit-code=0\n" });
  expect(run.summary).toMatch(/^### hookporter check\n\n {4}passed\n/);
  expect(run.log).toMatch(/^::notice title=hookporter check::3 of 3 cases passed/m);
});

it("the action fails for a faulty one, with annotations, unless it is told not to", async () => {
  const { url } = await endsWith();
  const run = await runAction({ url: url.href, only: "SIG-03" });
  expect(run).toMatchObject({ code: 1, outputs: "exit-code=1\n" });
  expect(run.log).toMatch(/^::error title=SIG-03%3A/m);
  expect(run.summary).toContain("    ✗ SIG-03");
  const lenient = await runAction({ url: url.href, only: "SIG-03", "fail-on": "never" });
  expect(lenient).toMatchObject({ code: 0, outputs: "exit-code=1\n" });
});

it("neither inputs nor answers are taken for commands", async () => {
  const url = await serve((_, response) =>
    response.writeHead(401).end("x\n::error::injected\n```"),
  );
  const run = await runAction({ url: url.href, only: "SIG-03", observe: "echo $(touch injected)" });
  expect(run.log.replace(/::stop-commands::(\w+)[\s\S]*?::\1::/, "")).not.toMatch(/^::error::inj/m);
  const wrong = await runAction({ url: url.href, "fail-on": "$(id)" });
  expect(wrong.code).toBe(2);
  expect(wrong.log).toMatch(/^::error title=hookporter check::expected fail-on/);
});

it("the action uses nothing that is not pinned, and no input within a script", () => {
  expect(action.runs.using).toBe("composite");
  for (const { run = "", uses, shell } of action.runs.steps) {
    expect(uses === undefined || /@[0-9a-f]{40}$/.test(uses)).toBe(true);
    expect(shell).toBe("bash");
    expect(run).not.toContain("${" + "{");
    const pulled = [...run.matchAll(/\bnpx [^)\n]*/g)].flat();
    expect(pulled).toEqual([`npx --yes hookporter@${packageJson.version}`]);
  }
});
