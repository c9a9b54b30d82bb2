import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readPage, rowsOf } from "../../docs/markdown.ts";
import { openEndpoint } from "../../receiver/open.ts";
import { ADAPTERS, type Adapter } from "../../receiver/wire.ts";
import { runCli } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";
import { env, envelope, sendingTo } from "./sending.ts";

async function endpoint() {
  const opened = await openEndpoint(ADAPTERS.at(0) as Adapter, { clock: Date.now });
  return { ...opened, ...sendingTo(opened) };
}

it.each([
  ["--tamper signature", "signature", { reason: "signature_mismatch" }],
  ["--tamper body", "body", { reason: "signature_mismatch" }],
  ["--tamper header", "header", { reason: "signature_malformed" }],
  ["--no-signature", "no_signature", { reason: "signature_missing" }],
  ["--stale 8d", null, { rejection: { reason: "too_old" } }],
  ["--future 1h", null, { rejection: { reason: "future_timestamp" } }],
])(
  "%s makes a receiver refuse what trigger and replay send, which exit with 1",
  async (flags, chaos, outcome) => {
    const { run, outcomes, cwd } = await endpoint();
    writeFileSync(join(cwd, "one.json"), JSON.stringify(envelope()));
    for (const what of ["trigger lead.created", "replay one.json"]) {
      const { code, records } = await run(`${what} ${flags} --json`);
      expect([code, records]).toMatchObject([1, [{ type: "answer", ok: false, chaos }]]);
    }
    expect(outcomes()).toMatchObject([outcome, outcome]);
  },
);

it("--drop drops what it reports, and the seed that is printed repeats a run", async () => {
  const { run, outcomes } = await endpoint();
  const line = "trigger lead.created --count 20 --drop 40% --json";
  const first = await run(line);
  const [, seed] = /^seed: (\d+) \(--seed \1 repeats this run\)$/m.exec(first.stderr) ?? [];
  const again = await run(`${line} --seed ${seed}`);
  const types = first.records.map(({ type }) => type);
  expect(again.records.map(({ type }) => type)).toEqual(types);
  expect(again.stderr).not.toContain("--seed");
  expect(first.code).toBe(0);
  expect(outcomes()).toHaveLength(2 * types.filter((type) => type === "answer").length);
  expect(types).toContain("dropped");
  const all = await run("trigger lead.created --count 2 --drop 100%");
  expect(all.stdout).toBe("dropped lead.created\ndropped lead.created\n");
  expect(all.stderr).toContain("0 sent, 0 answered 2xx, 2 dropped\n");
});

it.each([
  ["--shuffle", true],
  ["HOOKPORTER_DELAY=0..1ms", true],
  ["--tamper body", true],
  ["--rate 1000", false],
])("%s leaves something to chance, so that a seed is printed: %s", async (flags, isChance) => {
  const { run } = sendingTo(await startReceiving());
  expect(/^seed: /m.test((await run(`trigger lead.created ${flags}`)).stderr)).toBe(isChance);
});

it.each(["trigger --all", "replay ."])(
  "%s sends copies in a random order and with delays, as the seed has them",
  async (what) => {
    const kinds = ["lead.created", "lead.lost", "lease.signed", "lease.ended"];
    const files = kinds.map((event) => [`${event}.json`, envelope({ event })]);
    const cwd = folderWith(Object.fromEntries(files));
    const order = async (flags: string) => {
      const target = await startReceiving();
      await sendingTo(target, cwd).run(`${what} --duplicate 2 ${flags}`);
      return target.kinds();
    };
    const shuffled = await order("--shuffle --seed 7 HOOKPORTER_DELAY=0..2ms");
    const plain = await order("--seed 7");
    expect(shuffled).not.toEqual(plain);
    expect(shuffled.toSorted()).toEqual(plain.toSorted());
    expect(new Set(plain).size).toBe(plain.length / 2);
    expect(await order("--shuffle --seed 7 HOOKPORTER_DELAY=0..2ms")).toEqual(shuffled);
  },
);

it("a typed flag overrides settings that contradict it, also if they contradict each other", async () => {
  const { run, outcomes } = await endpoint();
  const settings = { HOOKPORTER_STALE: "8d", HOOKPORTER_NO_SIGNATURE: "true" };
  await run("trigger lead.created --future 1h --tamper signature", {
    env: { ...env, ...settings },
  });
  expect(outcomes()).toMatchObject([{ reason: "signature_mismatch" }]);
  const more = { ...env, ...settings, HOOKPORTER_FUTURE: "1h", HOOKPORTER_URL: "http://a.test" };
  for (const flags of ["--exact", "--handlers h.mjs"]) {
    const { code, stderr } = await runCli(["replay", "none.json", ...flags.split(" ")], {
      env: more,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining("none.json: no such file")]);
  }
});

it.each([
  ["trigger", "--duplicate", 13],
  ["replay", "--fail-fast", 3],
])("the help of %s says of each flag from %s what its page says", async (command, from, count) => {
  const { stdout } = await runCli([command, "--help", "--all"]);
  const help = stdout.slice(stdout.indexOf(from), stdout.indexOf("--secret-env"));
  const rows = rowsOf(readPage(`docs/reference/cli/${command}.md`));
  const plain = rows.map((cells) => cells.map((cell) => cell.replaceAll("`", "")));
  const shown = plain.filter(([flag]) => help.includes(`${flag} `));
  expect(shown).toHaveLength(count);
  for (const [flag, , fallback, meaning] of shown)
    expect(help.replaceAll(/\s+/g, " ")).toContain(
      `${flag} ${meaning}${fallback ? ` (default: ${fallback})` : ""}`,
    );
});
