import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { posting } from "../../receiver/open.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";
import { env, sendingTo } from "./sending.ts";

const ENVELOPE = '{"event":"lead.created","timestamp":"2026-01-01T00:00:00Z","data":{}}';

/** Replays in a folder with these files, to a target that answers 200. */
async function replaying(files: Readonly<Record<string, string>> = {}) {
  const target = await startReceiving();
  const { cwd, run } = sendingTo(target, folderWith(files));
  const replay = (what: string, stdin = "") => run(`replay ${what} --json`, { stdin });
  return { cwd, target, replay };
}

const labels = ({ records }: { records: readonly Record<string, unknown>[] }) =>
  records.filter(({ type }) => type === "answer").map(({ label }) => label);

it("an empty text, as of a variable that is not set, does not mean the working folder", async () => {
  const { cwd, target } = await replaying({ "a.json": ENVELOPE });
  for (const argv of [
    ["", "--url", target.url],
    ["a.json", "--handlers", ""],
  ])
    expect((await runCli(["replay", ...argv], { cwd, env })).said).toContain("got an empty text");
  expect(target.got).toHaveLength(0);
});

it("an entry is named by its kind and event id, or by `?` and its id if it has no kind", async () => {
  const own = await listening([], tempFolder(), env);
  const { post } = posting(new URL(own.url));
  const now = new Date().toISOString().slice(0, 19);
  const whole = ENVELOPE.replace("}}", '},"webhook":{"id":"wh_1","url":"u"}}');
  await post(whole.replace("2026-01-01T00:00:00", now));
  await post("[]");
  const target = await startReceiving();
  const { run } = sendingTo(target, own.cwd);
  expect(labels(await run("replay 1 #2 --exact --json"))).toEqual([
    expect.stringMatching(/^lead\.created evt_1_[0-9a-f]+$/),
    expect.stringMatching(/^\? raw_1_/),
  ]);
  expect(target.bodies()[1]).toBe("[]");
  const unknown = await run("replay 99");
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("99 is not a file, and as an entry: no entry 99 in this inbox");
});

it("an inbox that cannot be looked at is reported as it is, whatever else the argument may mean", async () => {
  const { replay } = await replaying({ "a.txt": "" });
  const run = await replay("evt_1 --inbox a.txt/inbox.db");
  expect(run.records).toMatchObject([{ type: "error", code: "folder_unusable" }]);
  expect(run.said).not.toContain("is not a file, and");
});

it("of a folder the .json files are read, and one that cannot be read is skipped", async () => {
  const { cwd, replay } = await replaying({
    "b.json": ENVELOPE,
    "a.txt": ENVELOPE,
    "c.ndjson": ENVELOPE,
  });
  mkdirSync(join(cwd, "a.json"));
  const run = await replay(".");
  expect([run.code, labels(run)]).toEqual([1, ["b.json"]]);
  expect(run.stderr).toContain("skipped: a.json could not be read: it is a folder\n");
});

it("each line keeps its bytes, blank ones are passed over, and a broken one is named by its number", async () => {
  const { target, replay } = await replaying();
  const line = ENVELOPE.replace("{}", '{"street":"rue de l’Église 🏠"}');
  const run = await replay("-", `\n \t\r\n${line}\r\n\n{bad\n${line}`);
  const name = "standard input, line";
  expect([run.code, labels(run)]).toEqual([1, [`${name} 3`, `${name} 6`]]);
  expect(run.stderr).toMatch(/^skipped: standard input, line 5: /m);
  expect(target.bodies()[1]).toContain('"data":{"street":"rue de l’Église 🏠"}');
});

it.each(["", "\n", " \r\n\t\n"])("blank input %j is nothing to replay", async (stdin) => {
  const { target, replay } = await replaying();
  expect(await replay("-", stdin)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "nothing to replay: the input is empty\n",
  });
  expect(target.got).toEqual([]);
});

it("a body that is printed over several lines is one fixture", async () => {
  const pretty = JSON.stringify(JSON.parse(ENVELOPE), null, 2);
  const { target, replay } = await replaying({ "one.ndjson": pretty });
  expect(labels(await replay("one.ndjson"))).toEqual(["one.ndjson"]);
  expect(labels(await replay("-", pretty))).toEqual(["standard input"]);
  expect(target.bodies()[0]).toContain('\n  "event": "lead.created"');
});

const OTHERS = {
  "package.json": '{"name":"x","version":"1.0.0"}',
  "tsconfig.json": '{"compilerOptions":{}}',
  "hookporter.config.json": "{}",
};

it("of a folder, files without a webhook are left out, and some are named", async () => {
  const three = await (await replaying({ "b.json": ENVELOPE, ...OTHERS })).replay(".");
  expect([three.code, labels(three)]).toEqual([0, ["b.json"]]);
  expect(three.stderr).toBe(
    "left out 3 files without a webhook: hookporter.config.json, package.json, tsconfig.json\n",
  );
  const names = Array.from({ length: 8 }, (_, index) => [`${index}.json`, "{}"]);
  const eight = await replaying({ ...Object.fromEntries(names), "a.json": ENVELOPE });
  expect((await eight.replay(".")).stderr).toBe(
    "left out 8 files without a webhook: 0.json, 1.json, 2.json, 3.json, 4.json …\n",
  );
});

it("a folder with no webhook is an error, and so is such a file that is named", async () => {
  const har = { "session.har": '{"log":{"entries":[{}]}}' };
  const { cwd, replay, target } = await replaying({ ...OTHERS, ...har });
  const run = await replay(".");
  expect(run.code).toBe(2);
  expect(run.said).toContain("got 3 files without a webhook: hookporter.config.json, package.json");
  const named = await replay("session.har");
  expect(named.code).toBe(2);
  expect(named.said).toContain("looks like a HAR with 1 entry");
  expect((await replay("-", '{"log":{"entries":[]}}')).said).toContain(
    "standard input: expected a saved delivery or an envelope, got what looks like a HAR",
  );
  expect(target.got).toHaveLength(0);
  for (const line of ["types .", "fixtures scrub .", "replay . --handlers h.mjs"]) {
    const other = await runCli(line.split(" "), { cwd, env });
    expect([other.code, other.said], line).toEqual([
      2,
      expect.stringContaining("without a webhook"),
    ]);
  }
});
