import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type FakeIoOptions, runCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";

const env = { HOOKPORTER_SECRET: "a secret that is long enough" };

/** Triggers, and returns the run and the bodies that were sent. */
async function trigger(argv: readonly string[], options: FakeIoOptions = {}) {
  const target = await startReceiving();
  const run = await runCli(["trigger", ...argv, "--url", target.url], {
    ...options,
    env: { ...env, ...options.env },
  });
  return { run, code: run.code, bodies: target.bodies(), kinds: target.kinds() };
}

it("--data is read from a file, with or without a byte order mark, or from standard input", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "plain.json"), '{"id": 1.50}');
  writeFileSync(join(cwd, "marked.json"), '\uFEFF{"id": 1.50}');
  for (const given of ["@plain.json", "@marked.json", "@-"]) {
    const { code, bodies } = await trigger(["lead.created", "--data", given], {
      cwd,
      stdin: '{"id": 1.50}',
    });
    expect([code, bodies[0]]).toEqual([0, expect.stringContaining('"data":{"id": 1.50}')]);
  }
});

it("standard input cannot be both data and secret", async () => {
  const { run, bodies } = await trigger(["lead.created", "--data", "@-", "--secret-stdin"]);
  expect([run.code, bodies]).toEqual([2, []]);
  expect(run.said).toContain(
    "expected the body in a file, since --secret-stdin reads standard input",
  );
});

it("data is made up from the shape file of the project, but not in place of --data or with --no-shapes", async () => {
  const cwd = tempFolder();
  mkdirSync(join(cwd, "in"));
  const data = { fresh: true };
  const envelope = {
    event: "lead.created",
    timestamp: "2026-01-01T00:00:00Z",
    data,
    webhook: { id: "wh_1", url: "u" },
  };
  writeFileSync(join(cwd, "in", "1.json"), JSON.stringify(envelope));
  expect(await runCli(["types", "in"], { cwd })).toMatchObject({ code: 0 });
  const dataOf = async (...more: string[]) => {
    const { bodies, run } = await trigger(["lead.created", ...more], { cwd });
    return [
      Object.keys(JSON.parse(bodies[0] ?? "").data),
      run.stderr.includes("data made up from"),
    ];
  };
  expect(await dataOf()).toEqual([["fresh"], true]);
  expect(await dataOf("--data", '{"own":1}')).toEqual([["own"], false]);
  const [keys, isMadeUp] = await dataOf("--no-shapes");
  expect([keys, isMadeUp]).toEqual([expect.arrayContaining(["id"]), false]);
});

it("a kind that is typed overrides a setting of all", async () => {
  const all = { env: { HOOKPORTER_TRIGGER_ALL: "true" } };
  expect((await trigger(["lead.created"], all)).kinds).toEqual(["lead.created"]);
  expect((await trigger([], all)).bodies).toHaveLength(12);
});

it.each([
  [
    ["lead.craeted"],
    'got "lead.craeted": did you mean lead.created? (--unknown-kind sends it anyway)',
  ],
  [["nothing"], 'got "nothing": the kinds are property.created, '],
  [["*"], 'got "*": the kinds are '],
  [["nothing.*"], 'got "nothing.*": '],
  [[], "expected a kind or --all, got neither: the kinds are property.created, "],
  [["lead.created", "--all"], "expected a kind or --all, got both: remove one"],
])("%j names no kind, and sends nothing", async (argv, said) => {
  const { run, bodies } = await trigger(argv);
  expect([run.code, bodies]).toEqual([2, []]);
  expect(run.said).toContain(said);
});

it("--unknown-kind sends any kind", async () => {
  expect((await trigger(["lead.lost", "--unknown-kind"])).kinds).toEqual(["lead.lost"]);
});

it("each of several kinds is sent in each round, with a timestamp of its own", async () => {
  const { bodies, kinds } = await trigger(["payment.*", "--count", "2"]);
  const family = kinds.slice(0, kinds.length / 2);
  expect(kinds).toEqual([...family, ...family]);
  const at = bodies.map((body) => Date.parse(JSON.parse(body).timestamp));
  expect(at).toEqual(at.map((_, index) => (at[0] ?? 0) + index));
});

it("the signature is in the header that --signature-header names", async () => {
  const target = await startReceiving();
  const argv = ["trigger", "lead.created", "--dry-run", "--url", target.url];
  const { stdout } = await runCli([...argv, "HOOKPORTER_SIGNATURE_HEADER=X-Other"], { env });
  expect(stdout).toMatch(/-H 'x-other: sha256=[0-9a-f]{64}'/i);
  expect(stdout).not.toContain("x-service-signature");
  expect((await runCli(argv, { env })).stdout).toMatch(
    /-H 'x-service-signature: sha256=[0-9a-f]{64}'/,
  );
});

it("--wait without an inbox sends nothing", async () => {
  const { run, bodies } = await trigger(["lead.created", "--wait", "--json"]);
  expect(run.records).toMatchObject([{ type: "error", code: "usage" }]);
  expect(bodies).toEqual([]);
});

it("a dry run in a folder without state leaves none", async () => {
  const cwd = tempFolder();
  const elsewhere = tempFolder();
  const argv = ["trigger", "lead.created", "--dry-run", `HOOKPORTER_BODIES_TO=${elsewhere}`];
  expect((await runCli(argv, { cwd, env })).code).toBe(0);
  expect(readdirSync(cwd)).toEqual([]);
});

it("an endpoint on another machine that a file names is said before anything is signed for it", async () => {
  const cwd = tempFolder();
  writeFileSync(
    join(cwd, "hookporter.config.json"),
    JSON.stringify({ url: "https://receiver.invalid/webhooks" }),
  );
  const said = async (env: Record<string, string>, ...argv: string[]) =>
    (await runCli(["trigger", "lead.created", "--dry-run", ...argv], { cwd, env })).stderr;
  const env = { HOOKPORTER_SECRET: "a secret that is long enough" };
  expect(await said(env)).toMatch(
    /^https:\/\/receiver\.invalid\/webhooks, from hookporter\.config\.json \(url\), gets events signed with the secret from HOOKPORTER_SECRET in the environment\n/,
  );
  for (const more of [["--no-signature"], ["--url", "https://receiver.invalid/webhooks"]])
    expect(await said(env, ...more)).not.toContain("signed with");
  writeFileSync(join(cwd, ".env"), "HOOKPORTER_SECRET=a secret that is long enough\n");
  expect(await said({})).not.toContain("signed with");
});
