import { expect, it } from "vitest";
import { SECRET } from "../receiver/sample.ts";
import { runCli } from "./fake-io.ts";
import { folderWith } from "./folder-with.ts";

const env = { HOOKPORTER_SECRET: SECRET };

const CASES: readonly [argv: string, code: number, says: string][] = [
  ["nonsense", 2, "unknown command 'nonsense': run `hookporter --help` for the list"],
  ["events nonsense", 2, "unknown command 'nonsense': run `hookporter events --help` for the list"],
  ["listne", 2, "unknown command 'listne' (Did you mean listen?)"],
  ["listen --port 99999", 2, "65535"],
  ["listen --port abc", 2, "65535"],
  ["listen --path webhooks", 2, "slash"],
  ["listen --port", 2, "expected <n> after --port, got nothing: see --help"],
  ["listen --nonsense", 2, "unknown option '--nonsense': see --help"],
  ["listen --secret-env sk-secret-value!", 2, "NAME"],
  ["listen --count 0", 2, "from 1"],
  ["listen --count 2 --wait-for lead.*", 2, "--count or --wait-for, got both"],
  ["listen --timeout 5s", 2, "--count or --wait-for with --timeout, got none"],
  ["listen --timeout soon --count 1", 2, "duration"],
  ["listen --wait-for payment.recieved", 2, "payment.received"],
  ["listen --events nothing.*", 2, "payment.received"],
  ["listen --forward-to ftp://x", 2, "http"],
  ["listen --tunnel carrier-pigeon", 2, "ngrok"],
  ["HOOKPORTER_DOMAIN=not_one listen --tunnel ngrok", 2, "domain"],
  ["listen --tunnel ngrok --public-url https://x.test", 2, "got --tunnel ngrok: change it"],
  ["listen --public-url ftp://x", 2, "https"],
  ["listen --public-url https://x.test?a=b", 2, "https"],
  ["listen --handlers missing.ts", 3, "missing.ts"],
  ["listen --handlers empty", 3, "empty"],
  ["listen --handlers broken.ts", 3, "broken.ts"],
  ["listen --handlers wrong.ts", 3, "(receiver) => void"],
  ["listen --handlers typo.ts", 3, "payment.received"],
  ["listen --events lead.created --handlers typo.ts", 3, "payment.received"],
  ["listen --inbox mysql://localhost/x", 3, "file path"],
  ["listen --inbox not-a-database", 3, "file is not a database"],
  ["listen --secret-env MISSING", 3, "MISSING"],
  ["HOOKPORTER_ENV_FILE=missing.env listen", 3, "missing.env"],
  ["trigger payment.received --set nonsense", 2, "path=value"],
  ["trigger payment.received --set data.id.x=1", 2, "to be an object"],
  ["trigger payment.received --data @missing.json", 2, "missing.json"],
  ["trigger payment.received --url http://127.0.0.1:1/x", 5, "refused"],
  ["trigger payment.received --url nonsense://x", 2, "http"],
  ["HOOKPORTER_DELAY=3s..1s trigger payment.received", 2, "range"],
  ["trigger payment.received --rate 0", 2, "per second"],
  ["replay", 2, "what"],
  ["replay missing.json", 2, "missing.json: no such file\n"],
  ["replay empty", 2, ".json"],
  ["replay not-json.json", 2, "not-json.json"],
  ["replay evt_unknown", 3, "no inbox"],
  ["replay evt_unknown", 3, "not a file"],
  ["replay envelope.json --url http://127.0.0.1:1/", 5, "refused"],
  ["replay envelope.json --handlers missing.ts", 3, "missing.ts"],
  ["sign missing.json", 2, "missing.json"],
  ["sign empty", 2, "empty"],
  ["verify missing.json", 2, "missing.json"],
  ["events list", 3, "run `hookporter listen` here first"],
  ["events list --inbox missing.db", 3, "start its receiver first"],
  ["events list --inbox empty", 3, "it is a folder"],
  ["listen --inbox empty", 3, "it is a folder"],
  ["events show 1 --inbox not-a-database", 3, "file is not a database"],
  ["events list --state lost", 2, "waiting"],
  ["events list --since yesterday", 2, "date"],
  ["events retry", 2, "--all"],
  ["events retry --state done", 2, "dead"],
  ["properties --fields id,,rent", 2, "--fields"],
  ["properties --page -1", 2, "--page"],
  ["trigger lead.created --stale 1h --future 1h", 2, "an event has one timestamp"],
  ["trigger lead.created --tamper body --no-signature", 2, "there is nothing to tamper with"],
  ["trigger lead.created --wait --dry-run", 2, "--dry-run sends nothing"],
  ["trigger lead.created --drop 10", 2, "expected a share"],
  ["trigger lead.created --drop 101%", 2, "expected a share"],
  ["trigger lead.created --tamper all", 2, "expected one of signature, body, header"],
  ["replay x.json --exact --stale 1h", 2, "--exact sends the saved bytes"],
  ["replay x.json --exact --future 1h", 2, "--exact sends the saved bytes"],
  ["replay x.json --handlers h.js --drop 10%", 2, "with --handlers nothing is sent"],
  ["replay x.json --handlers h.js --dry-run", 2, "with --handlers nothing is sent"],
  ["replay x.json --handlers h.js --rate 1", 2, "with --handlers nothing is sent"],
  ["replay x.json --handlers h.js --url 3000", 2, "with --handlers nothing is sent"],
  ["replay x.json --resume --handlers h.js", 2, "it sends what an earlier run has left"],
  ["replay x.json --resume --duplicate 2", 2, "once and unchanged"],
  ["replay x.json --resume --drop 10%", 2, "once and unchanged"],
  ["replay x.json --resume --tamper body", 2, "once and unchanged"],
  ["replay x.json --resume --no-signature", 2, "once and unchanged"],
  ["replay x.json --resume --dry-run", 2, "once and unchanged"],
  ["trigger lead.created --wait", 2, "expected a listen that runs in this folder"],
  ["replay x.json --wait", 2, "expected a listen that runs in this folder"],
  ["sandbox --properties 200000", 3, "expected"],
  ["sandbox --duplicates 1.5", 2, "--duplicates"],
  ["HOOKPORTER_RATE_LIMIT=0 sandbox", 2, "HOOKPORTER_RATE_LIMIT"],
  ["HOOKPORTER_TARGET_HOSTS=http://example.com sandbox", 2, "HOOKPORTER_TARGET_HOSTS"],
  ["check", 2, "got none"],
  ["check 3000 --only SIG-99", 2, "SIG-99"],
  ["check 3000 --skip sig_1", 2, "--skip"],
  ["check 3000 --format html", 2, "--format"],
  ["HOOKPORTER_CONCURRENCY=17 check 3000", 2, "HOOKPORTER_CONCURRENCY"],
  ["check 3000 --secret-env NOT_SET", 3, "NOT_SET"],
  ["listen --stream 1", 3, "HOOKPORTER_API_KEY"],
  ["HOOKPORTER_API_KEY=sk_live_abcdef listen --stream 1", 3, "--live"],
  ["HOOKPORTER_API_KEY=abcdef listen --stream 1", 3, "key"],
  ["listen --stream ws://example.com/stream", 2, "wss"],
  ["listen --stream http://127.0.0.1:1/stream", 2, "--stream"],
  ["listen --stream wss://user:abcdef@example.com/", 2, "--stream"],
  ["listen --stream wss://example.com/#abcdef", 2, "--stream"],
  ["listen --subscribe", 2, "--base-url"],
  ["HOOKPORTER_API_KEY_ENV=NONE listen --subscribe --base-url http://127.0.0.1:1", 3, "NONE"],
  ["HOOKPORTER_API_KEY=sk_test_x listen --subscribe --base-url https://api.example", 2, "tunnel"],
  ["listen --tunnel ngrok --subscribe --base-url https://api.example", 3, "HOOKPORTER_API_KEY"],
  ["listen --tunnel ssh", 2, "--ssh-host"],
  ["HOOKPORTER_SSH_REMOTE_PORT=4401 listen --tunnel ssh --ssh-host box", 2, "--public-url"],
  ["HOOKPORTER_SSH_REMOTE_PORT=4401 listen --tunnel ssh --ssh-host -oProxy=x", 2, "--ssh-host"],
  ["HOOKPORTER_SSH_REMOTE_PORT=0 listen --tunnel ssh --ssh-host box", 2, "1 to 65535"],
  ["HOOKPORTER_SSH_IDENTITY=no-such-key listen --tunnel serveo", 3, "no-such-key"],
  ["listen --tunnel command", 2, "--tunnel-command"],
  ["listen --tunnel command --tunnel-command bore", 2, "tunnelUrlPattern"],
  [
    "HOOKPORTER_TUNNEL_URL_PATTERN=( listen --tunnel command --tunnel-command bore",
    2,
    "expression",
  ],
  ["listen --ssh-host box", 2, "--tunnel"],
  ["trigger lead.craeted", 2, "did you mean lead.created? (--unknown-kind sends it anyway)"],
  ["trigger nothing", 2, 'got "nothing": the kinds are property.created, '],
  ["trigger *", 2, 'got "*": the kinds are '],
  ["trigger nothing.*", 2, 'got "nothing.*": '],
  ["trigger", 2, "expected a kind or --all, got neither: the kinds are property.created, "],
  ["trigger lead.created --all", 2, "expected a kind or --all, got both: remove one"],
  ["inbox migrate", 3, "expected the postgres:// URL"],
  ["inbox migrate --inbox a.db", 3, "expected the postgres:// URL"],
  ["inbox migrate --inbox postgres://127.0.0.1/app --all", 2, "--print"],
  ["doctor --report --url https://hooks.example", 2, "--report"],
  ["doctor --report --drill", 2, "--report"],
  ["replay none.ndjson", 2, "no such file\n"],
  ["replay folder/none", 2, "no such file\n"],
  ["replay folder\\none", 2, "no such file\n"],
  ["replay none.json5", 3, "not a file"],
  ["replay json", 3, "not a file"],
  ["trigger lead.created --data @- --secret-stdin", 2, "expected the body in a file"],
  ["check http://receiver.invalid/webhooks", 2, "--yes"],
  ["events", 2, ""],
];

const FILES = {
  "not-json.json": "not json",
  "not-a-database": "this is not a database, whatever its name says".repeat(50),
  "envelope.json": { event: "payment.received", timestamp: "2026-01-01T00:00:00Z" },
  "broken.ts": "export default {",
  "wrong.ts": "export default 5;",
  "typo.ts": 'export default { "payment.recieved": () => {} };',
  "empty/.keep": "",
};

it.each(CASES)("`%s` ends with %i and one clear line", async (argv, code, says) => {
  const run = await runCli(argv.split(" "), { cwd: folderWith(FILES), env });
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: "" });
  expect(run.stderr).toContain(says);
  if (says === "") return; // a command group shows its help
  expect(run.stderr.match(/^error: /gm)).toHaveLength(1);
  expect(run.stderr).not.toMatch(/^\s+at |abcdef/m);
});

it("a missing or empty secret is refused, and none is created in production", async () => {
  for (const argv of [["sign"], ["verify"], ["trigger", "payment.received"]]) {
    const { code, stderr } = await runCli(argv, { stdin: "x" });
    expect([code, stderr]).toEqual([3, expect.stringContaining("HOOKPORTER_SECRET")]);
  }
  expect((await runCli(["sign"], { env: { HOOKPORTER_SECRET: "  " }, stdin: "x" })).code).toBe(3);
  const production = { NODE_ENV: "production" };
  expect((await runCli(["listen", "--port", "0"], { env: production })).code).toBe(3);
});

it.each<[string, number, string, Record<string, string>?]>([
  ["listen --json --nonsense", 2, "usage"],
  ["listen --port abc --json", 2, "usage"],
  ["nonsense --json", 2, "usage"],
  ["replay --json", 2, "usage"],
  ["listen --port abc", 2, "usage", { HOOKPORTER_JSON: "1" }],
  ["events", 2, "usage", { HOOKPORTER_JSON: "true" }],
  ["sign --json", 3, "config_invalid"],
  ["listen --json", 2, "usage", { HOOKPORTER_LISTEN_PORT: "many" }],
])("`%s` prints one error record, however early it fails", async (argv, code, name, more = {}) => {
  const cwd = folderWith(name === "config_invalid" ? { "hookporter.config.json": "{" } : {});
  const run = await runCli(argv.split(" "), { cwd, env: { ...env, ...more } });
  expect(run.code).toBe(code);
  expect(run.records).toMatchObject([{ schemaVersion: 1, type: "error", code: name }]);
});

it("`--json` after `--` is an argument; as a flag it makes errors records, with a stack only for --debug", async () => {
  const run = await runCli(["replay", "--", "--json"], { env });
  expect(run).toMatchObject({ code: 3, stdout: "" });
  const { records } = await runCli(["events", "list", "--json"]);
  expect(records).toMatchObject([{ type: "error", code: "inbox_unavailable" }]);
  expect(JSON.stringify(records)).not.toMatch(/\\n\s+at /);
  expect((await runCli(["events", "list", "--debug"])).stderr).toMatch(/^\s+at /m);
});
