import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { commands } from "./all-commands.ts";
import { type CliRun, type FakeIoOptions, runCli, startCli } from "./fake-io.ts";
import { startReceiving } from "./fake-target.ts";
import { folderWith } from "./folder-with.ts";
import { SECRETS } from "./secret-forms.ts";

const [WHSEC] = SECRETS;
const env = {
  HOOKPORTER_SECRET: "one of our own that is long enough",
  HOOKPORTER_API_KEY: "sk_test_own",
};

/** What a command needs to come as far as the flag. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  listen: ["--port", "0", "--no-inspect"],
  sandbox: ["--port", "0"],
  trigger: ["payment.received", "--url", "1"],
  replay: ["fixture.json"],
  check: ["1"],
  "events show": ["1"],
};

/** These values are good, and used: a folder, a name, the inbox's path. */
const TAKEN = new Set(["init [dir]", "init --name", "listen --inbox", "doctor --inbox"]);

/** Runs a command to its end, or until it is up. */
async function ran(argv: readonly string[], options: FakeIoOptions = {}): Promise<CliRun> {
  const cli = startCli(argv, { env, stdin: "x", ...options });
  let ended = false;
  void cli.finished.then(() => {
    ended = true;
  });
  const isUp = ({ stdout, stderr }: CliRun) =>
    /"type":"(?:ready|sandbox)"/.test(stdout) || /^ *try it/im.test(stderr);
  while (!ended && !isUp(cli.now())) await wait(5);
  cli.signal("SIGTERM");
  return cli.finished;
}

function printed({ stdout, stderr }: CliRun): string {
  return (stdout + stderr).toLowerCase();
}

/** Runs a command that must not print a secret. */
async function expectHidden(
  secret: string,
  argv: readonly string[],
  options: FakeIoOptions = {},
): Promise<CliRun> {
  const run = await ran(argv, options);
  expect(printed(run), argv.join(" ")).not.toContain(secret.toLowerCase());
  return run;
}

describe.each(commands)("`%s`", (name, command) => {
  const flags = command.options.filter((option) => !option.isBoolean() && !option.negate);
  const words = name.split(" ");
  const more = [...(NEEDED[name] ?? []), "--json", "--debug"];

  it.each(flags.map((option, index) => [option.long ?? "", index] as const))(
    "does not print a secret that is pasted as the value of %s",
    async (flag, index) => {
      if (TAKEN.has(`${name} ${flag}`)) return;
      // Every form comes up at some flag; one flag need not have all of them.
      const [one, other] = [0, 3].map((at) => SECRETS[(index + at) % SECRETS.length] ?? "");
      await expectHidden(String(one), [...words, flag, String(one), ...more]);
      await expectHidden(String(other), [...words, `${flag}=${other}`, ...more]);
    },
  );

  it("does not print a secret that is pasted as an argument or as a flag", async () => {
    if (TAKEN.has(`${name} [dir]`)) return;
    for (const secret of SECRETS)
      for (const pasted of [secret, `--${secret}`, `--secret=${secret}`, `--secret ${secret}`])
        await expectHidden(secret, [...words, ...pasted.split(" "), ...more]);
  });
});

describe("a secret in the wrong place", () => {
  it.each(SECRETS)(
    "does not come back from --secret-env %s, and the message says what is expected",
    async (one) => {
      const run = await runCli(["sign", "--secret-env", one, "--json"], { stdin: "x" });
      expect([2, 3]).toContain(run.code);
      expect(printed(run)).not.toContain(one.toLowerCase());
      expect(run.said).toMatch(/variable/);
      expect(run.said).toContain(`[${one.length} characters, hidden]`);
      expect(run.records).toMatchObject([{ type: "error" }]);
    },
  );

  it.each(["correct horse battery staple", "correct-horse-battery", "correcthorse"])(
    "does not come back from --secret-env, even where it is made of words: %s",
    async (text) => {
      for (const argv of [
        ["sign", "--secret-env", text],
        ["properties", "--base-url", "http://127.0.0.1:1", `HOOKPORTER_API_KEY_ENV=${text}`],
        ["properties", "--base-url", "http://127.0.0.1:1", `HOOKPORTER_ACCESS_TOKEN_ENV=${text}`],
      ]) {
        const run = await runCli([...argv, "--json"], { stdin: "x" });
        expect([2, 3]).toContain(run.code);
        expect(printed(run)).not.toContain(text);
      }
    },
  );

  it("is hidden over several lines", async () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${"MIGHAgEAMBMGByqGSM49AgEG".repeat(2)}\n-----END PRIVATE KEY-----`;
    for (const flag of ["--secret-env", "--port", "--path"])
      expect((await runCli(["listen", flag, key])).stderr).not.toContain(
        "MIGHAgEAMBMGByqGSM49AgEG",
      );
  });

  it("does not make a variable of that name in the env file", async () => {
    const secret = "a3bf4f1b2b0b822cd15d6c15b0f00a08";
    const base = ["--base-url", "http://127.0.0.1:1"];
    const argv = ["subscribe", "https://x.test/", "--secret-env", secret, ...base];
    const own = { HOOKPORTER_API_KEY: "sk_test_own" };
    expect((await expectHidden(secret, argv, { env: own })).code).toBe(3);
  });

  it.each([
    ["listen", "--port", "0", "--forward-to", `http://${WHSEC}@127.0.0.1:1/`],
    ["trigger", "payment.received", "--url", `http://${WHSEC}@127.0.0.1:1/`],
    ["trigger", "payment.received", "--url", `http://user:${WHSEC}@127.0.0.1:1/`],
    ["trigger", "payment.received", "--url", `http://127.0.0.1:1/?token=${WHSEC}`],
    ["trigger", "payment.received", "--url", `127.0.0.1:1/?token=${WHSEC}`],
    ["listen", "--public-url", `https://x.test/?token=${WHSEC}`],
    ["listen", "--public-url", `https://user:${WHSEC}@x.test/`],
    ["listen", "--stream", `wss://${WHSEC}@x.test/?token=${WHSEC}`],
    ["properties", "--base-url", `https://${WHSEC}@x.test/`],
    ["properties", "--base-url", `https://x.test/?key=${WHSEC}`],
    ["subscribe", `http://127.0.0.1:1/?key=${WHSEC}`, "--base-url", "https://x.test"],
    ["check", `http://${WHSEC}@127.0.0.1:1/`],
    ["check", `http://127.0.0.1:1/?key=${WHSEC}`],
    ["events", "list", "--inbox", `postgres://user:${WHSEC}@127.0.0.1/x`],
    ["trigger", "payment.received", "--set", WHSEC],
    ["trigger", "payment.received", "--set", `data.${WHSEC}.x=1`],
    ["trigger", "payment.received", "--data", `{"key": ${WHSEC}}`],
    ["trigger", "payment.received", "--data", `@${WHSEC}`],
  ])("does not come back from `%s %s %s %s %s %s %s`", async (...argv) => {
    const run = await expectHidden(WHSEC, [...argv, "--json", "--debug"]);
    expect(run.code).toBeGreaterThan(0);
  });

  it.each([
    ["trigger payment.received --url URL", "answer"],
    ["trigger payment.received --url URL", "answer", 500],
    ["replay one.json --url URL", "answer"],
    ["check URL --only KIND-01 --yes", "summary"],
    ["listen --port 0 --no-inspect --forward-to URL", "ready"],
    ["subscribe URL --base-url http://127.0.0.1:1", "error"],
  ])(
    "does not come back from the query of a URL that works: `%s`",
    async (line, type, status = 200) => {
      const target = await startReceiving(status);
      const envelope = { event: "lead.created", timestamp: "2026-01-01T00:00:00Z", data: {} };
      const cwd = folderWith({ "one.json": { ...envelope, webhook: {} } });
      const url = `${target.url}?token=${WHSEC}`;
      const argv = line.split(" ").map((word) => (word === "URL" ? url : word));
      for (const more of [[], ["--json"]]) {
        const run = await expectHidden(WHSEC, [...argv, ...more], { cwd });
        if (more.length > 0) expect(run.records.map((record) => record.type)).toContain(type);
      }
    },
  );

  it("does not come back from a variable", async () => {
    const flags = new Set(
      commands.flatMap(([, { options }]) => options).map(({ long }) => long ?? ""),
    );
    for (const [index, flag] of [...flags].entries()) {
      const secret = SECRETS[index % SECRETS.length] ?? "";
      const name = flag.slice(2).toUpperCase().replaceAll("-", "_");
      const set = { [`HOOKPORTER_${name}`]: secret, [`HOOKPORTER_LISTEN_${name}`]: secret };
      if (name === "INBOX") continue;
      await expectHidden(secret, ["listen", "--port", "0", "--json"], { env: { ...env, ...set } });
    }
    const tunnel = ["listen", "--port", "0", "--tunnel", "ngrok"];
    for (const name of ["HOOKPORTER_NGROK_SERVER_ADDR", "HOOKPORTER_NGROK_CA_FILE"]) {
      const set = { ...env, NGROK_AUTHTOKEN: "x", [name]: `${WHSEC}/` };
      expect((await expectHidden(WHSEC, tunnel, { env: set })).code, name).toBe(2);
    }
  });

  it.each([
    WHSEC,
    `{"key": ${WHSEC}}`,
    `{"key": "${WHSEC}"`,
    `{"${WHSEC}": 1}`,
    `{"listen": {"${WHSEC}": 1}}`,
    `{"port": "${WHSEC}"}`,
    `{"listen": {"port": "${WHSEC}"}}`,
    `{"listen": {"handlers": "${WHSEC}"}}`,
    `{"secretEnv": "${WHSEC}"}`,
    `{"envFile": "${WHSEC}"}`,
    `{"forwardTo": ["http://${WHSEC}@127.0.0.1:1"]}`,
  ])("does not come back from the configuration file %s", async (config) => {
    const cwd = folderWith({ "hookporter.config.json": config });
    const run = await ran(["listen", "--json", "--debug"], { cwd, env });
    expect(run.code).toBe(3);
    // Not in parts either: Node's message about bad JSON quotes a few characters.
    expect(printed(run)).not.toContain(WHSEC.slice(6, 10).toLowerCase());
  });

  it("still lets a message name what was meant", async () => {
    for (const [argv, named] of [
      [["listen", "--port", "abcdefg"], "'abcdefg'"],
      [["listen", "--wait-for", "payment.recieved"], "payment.recieved"],
      [["sign", "--secret-env", "MY_WEBHOOK_SECRET_2"], "MY_WEBHOOK_SECRET_2"],
      [["replay", "fixtures/missing.json"], "fixtures/missing.json"],
      [["listen", "--handlers", "missing.ts"], "missing.ts"],
      [["events", "show", "evt_0123456789abcdef0123456789abcdef"], "no inbox"],
      [["listne"], "listne"],
      [["listen", "--potr", "1"], "--potr"],
    ] as const) {
      expect((await runCli(argv, { env })).stderr).toContain(named);
    }
  });
});
