import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import packageJson from "../package.json" with { type: "json" };

/** The part of a workflow that the tests look at. */
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string };
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly environment?: string;
  readonly strategy?: {
    readonly matrix: {
      readonly node?: readonly number[];
      readonly os?: readonly string[];
      readonly folder?: readonly string[];
    };
  };
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

const root = join(import.meta.dirname, "..");
const github = join(root, ".github");
const files = readdirSync(github, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => /\.ya?ml$/.test(name));
const workflows = files
  .filter((name) => name.startsWith("workflows/"))
  .map((name) => ({ name, workflow: read(name) as Workflow }));
const jobs = workflows.flatMap(({ name, workflow }) => {
  return Object.entries(workflow.jobs).map(([id, job]) => ({ name: `${name}: ${id}`, job }));
});
const steps = jobs.flatMap(({ name, job }) => job.steps.map((step) => ({ name, ...step })));

it("every YAML file is valid and says something", () => {
  expect(files.length).toBeGreaterThan(6);
  expect(files.filter((name) => typeof read(name) !== "object")).toEqual([]);
});

it("CI runs on the major of the oldest supported Node, and on macOS and Windows", () => {
  const ci = workflows.find(({ name }) => name === "workflows/ci.yml")?.workflow.jobs;
  const oldest = Number(/^>=(\d+)\./.exec(packageJson.engines.node)?.[1]);
  expect(ci?.linux?.strategy?.matrix.node).toContain(oldest);
  expect(ci?.["other-systems"]?.strategy?.matrix.os).toEqual(["macos-latest", "windows-latest"]);
});

it("each folder with mutants is sampled every week", () => {
  // which runs when it is imported
  const script = readFileSync(join(root, "tools/mutants.js"), "utf8");
  const folders = [...script.matchAll(/^ {2}"(src\/[^"]+)": \{/gm)].map(([, folder]) => folder);
  const job = workflows.find(({ name }) => name === "workflows/mutants.yml")?.workflow.jobs.mutants;
  expect(folders.length).toBeGreaterThan(8);
  expect([...(job?.strategy?.matrix.folder ?? [])].sort()).toEqual(folders.sort());
});

it("workflows run only scripts that exist", () => {
  const calls = steps.flatMap(({ run = "" }) => [
    ...run.matchAll(/\bnpm (?:run ([\w:]+)|(test))/g),
  ]);
  const named = calls.map((call) => call[1] ?? call[2] ?? "");
  expect(named).toEqual(expect.arrayContaining(["test", "test:long"]));
  expect(named.filter((script) => !Object.hasOwn(packageJson.scripts, script))).toEqual([]);
  const programs = steps.flatMap(({ run = "" }) =>
    [...run.matchAll(/\btools\/[\w.-]+\.[jt]s\b/g)].flat(),
  );
  expect(programs).toContain("tools/check-release.js");
  expect(programs.filter((program) => !existsSync(join(root, program)))).toEqual([]);
});

it("a workflow may only read the repository, except for what a job names", () => {
  for (const { name, workflow } of workflows)
    expect(workflow.permissions, name).toEqual({ contents: "read" });
  const more = jobs.filter(({ job }) => job.permissions !== undefined);
  expect(more.map(({ name, job }) => [name, job.permissions])).toEqual([
    ["workflows/codeql.yml: analyze", { contents: "read", "security-events": "write" }],
    ["workflows/release.yml: publish", { "id-token": "write", attestations: "write" }],
  ]);
});

it("every workflow has a concurrency group, every job a time limit, every action one commit", () => {
  expect(workflows.filter(({ workflow }) => workflow.concurrency?.group === undefined)).toEqual([]);
  expect(jobs.filter(({ job }) => !((job["timeout-minutes"] ?? 0) > 0))).toEqual([]);
  const actions = steps.flatMap(({ uses }) => uses ?? []);
  expect(actions.length).toBeGreaterThan(4);
  expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  const repositories = new Set(
    actions.map((action) => action.split("/", 2).join("/").split("@")[0]),
  );
  const commits = new Set(actions.map((action) => action.split("@")[1]));
  expect(commits.size).toBe(repositories.size);
  const lines = workflows.flatMap(
    ({ name }) => readFileSync(join(github, name), "utf8").match(/uses: .*/g) ?? [],
  );
  expect(lines.filter((line) => !/ # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

it("packages are checked for the registry's signatures before they are published", () => {
  const runs = jobs.filter(({ job }) =>
    job.steps.some(({ run }) => run === "npm audit signatures"),
  );
  expect(runs.map(({ name }) => name)).toEqual([
    "workflows/ci.yml: signatures",
    "workflows/release.yml: build",
  ]);
});

it("a job that may prove who it is runs no code of the repository or of a dependency", () => {
  const proving = jobs.filter(({ job }) => job.permissions?.["id-token"] !== undefined);
  expect(proving.map(({ name }) => name)).toEqual(["workflows/release.yml: publish"]);
  const [publish] = proving.map(({ job }) => job.steps);
  const actions = publish?.flatMap(({ uses = "" }) => uses.split("@", 1).filter(Boolean));
  expect(actions).toEqual(["actions/setup-node", "actions/download-artifact", "actions/attest"]);
  const commands = publish?.flatMap(({ run = "" }) => run.match(/\b(?:np[mx]|node)\b.*/g) ?? []);
  expect(commands).toEqual([
    'npm publish "./$FILE" --ignore-scripts --provenance --access public --tag "$tag"',
  ]);
});

it("a release installs without the scripts of dependencies, and updates wait some days", () => {
  const installs = steps.filter(
    ({ name, run = "" }) => /release\.yml/.test(name) && /npm ci/.test(run),
  );
  expect(installs.map(({ run }) => run)).toEqual(["npm ci --ignore-scripts"]);
  expect(Object.values(packageJson.allowScripts)).not.toContain(true);
  const { updates } = read("dependabot.yml") as { updates: { cooldown?: object }[] };
  expect(updates.length).toBeGreaterThan(1);
  for (const { cooldown } of updates) expect(cooldown).toMatchObject({ "default-days": 7 });
});

it("every form warns against pasting secrets and says where to report a vulnerability", () => {
  const forms = files.filter((name) => /^ISSUE_TEMPLATE\/(?!config)/.test(name));
  expect(forms.length).toBeGreaterThan(1);
  for (const form of forms) {
    const text = readFileSync(join(github, form), "utf8");
    expect(text, form).toMatch(/paste no secrets/i);
    expect(text, form).toContain("SECURITY.md");
  }
});

it("package.json has all addresses of the project or none, and without them no file here has any", () => {
  const given = ["repository", "bugs", "homepage"].filter((field) =>
    Object.hasOwn(packageJson, field),
  );
  expect([0, 3]).toContain(given.length);
  if (given.length > 0) return;
  expect(
    files.filter((name) => /https?:\/\//.test(readFileSync(join(github, name), "utf8"))),
  ).toEqual([]);
});

function read(name: string): unknown {
  return parse(readFileSync(join(github, name), "utf8"), { strict: true, uniqueKeys: true });
}
