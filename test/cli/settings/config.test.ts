import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { runCli, startCli, tempFolder } from "../fake-io.ts";

const secretEnv = { HOOKPORTER_SECRET: "a secret that is long enough" };
const stdin = "body";

function withConfig(config: string): string {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "hookporter.config.json"), config);
  return cwd;
}

async function headerName(
  argv: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const run = await runCli(["sign", "--header", ...argv], {
    cwd,
    env: { ...secretEnv, ...env },
    stdin,
  });
  expect(run.stderr).toBe("");
  return run.stdout.slice(0, run.stdout.indexOf(":"));
}

it("a flag overrides the environment, the environment the configuration file, the file the default", async () => {
  const plain = tempFolder();
  const cwd = withConfig('{ "signatureHeader": "x-config" }');
  const env = { HOOKPORTER_SIGNATURE_HEADER: "x-env" };
  expect(await headerName([], plain)).toBe("x-service-signature");
  expect(await headerName([], cwd)).toBe("x-config");
  expect(await headerName([], cwd, env)).toBe("x-env");
  expect(await headerName(["--signature-header", "x-flag"], cwd, env)).toBe("x-flag");
});

it("an empty variable counts as not set", async () => {
  expect(await headerName([], tempFolder(), { HOOKPORTER_SIGNATURE_HEADER: "" })).toBe(
    "x-service-signature",
  );
});

it("a variable for a switch is true or false; other words are refused", async () => {
  const cwd = tempFolder();
  const on = await runCli(["sign"], {
    cwd,
    env: { ...secretEnv, HOOKPORTER_SIGN_HEADER: "true" },
    stdin,
  });
  expect(on.stdout).toMatch(/^x-service-signature: /);
  const off = await runCli(["sign"], {
    cwd,
    env: { ...secretEnv, HOOKPORTER_SIGN_HEADER: "0" },
    stdin,
  });
  expect(off.stdout).toMatch(/^sha256=/);
  const wrong = await runCli(["sign"], {
    cwd,
    env: { ...secretEnv, HOOKPORTER_SIGN_HEADER: "maybe" },
    stdin,
  });
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("HOOKPORTER_SIGN_HEADER");
});

it("an invalid value is reported with its variable", async () => {
  const run = await runCli(["listen"], { env: { ...secretEnv, HOOKPORTER_LISTEN_PORT: "many" } });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("HOOKPORTER_LISTEN_PORT");
});

it.each([
  ["is not JSON", "{"],
  ["is not an object", "[]"],
  ["has an unknown key", '{ "prot": 1 }'],
  [
    "sends a key to its own address",
    '{ "baseUrl": "https://service.invalid/$\\u007bHOOKPORTER_API_KEY}" }',
  ],
  [
    "sends a secret to its own address",
    '{ "url": "https://$\\u007bHOOKPORTER_SECRET:-}.invalid" }',
  ],
  ["grants an agent more", '{ "mcp": { "allow": "hosts" } }'],
  ["grants an agent more, for all commands", '{ "allow": "hosts" }'],
  ["has a key that is gone", '{ "once": true }'],
  ["has a key of a command that is gone", '{ "listen": { "giveUpOn": "4xx" } }'],
  ["has a bad value", '{ "signatureHeader": "a b" }'],
  ["has a value of a wrong type", '{ "signatureHeader": {} }'],
  ["has the version", '{ "version": true }'],
  ["has a list where one value belongs", '{ "signatureHeader": ["x-a", "x-b"] }'],
  ["has a list with nothing in it", '{ "secretEnv": [] }'],
  ["has an object under a name that is no command", '{ "events": { "list": {} } }'],
  ["has a command that is no object", '{ "sign": true }'],
  ["has a flag that the command does not have", '{ "sign": { "port": 1 } }'],
  ["has a bad value under the command", '{ "sign": { "header": "maybe" } }'],
  ["has for all commands what means another thing in each", '{ "timeout": "5s" }'],
])("a configuration file that %s is refused with exit code 3", async (_, config) => {
  const run = await runCli(["sign"], { cwd: withConfig(config), env: secretEnv, stdin });
  expect(run.code).toBe(3);
  expect(run.stderr).toContain("hookporter.config.json");
});

it("a secret in the configuration file is refused with a fix", async () => {
  const run = await runCli(["sign"], {
    cwd: withConfig('{ "secret": "x" }'),
    env: secretEnv,
    stdin,
  });
  expect(run.stderr).toContain("do not put secrets here");
});

it("a flag under its command overrides the same flag for all commands", async () => {
  const cwd = withConfig(
    '{ "sign": { "signatureHeader": "x-own" }, "signatureHeader": "x-all", "verify": {} }',
  );
  expect(await headerName([], cwd)).toBe("x-own");
  expect(await headerName([], cwd, { HOOKPORTER_SIGNATURE_HEADER: "x-env" })).toBe("x-env");
  const other = withConfig(
    '{ "verify": { "signatureHeader": "x-own" }, "signatureHeader": "x-all" }',
  );
  expect(await headerName([], other)).toBe("x-all");
});

it("a command's settings are not confused with a flag of its name in another command", async () => {
  const cwd = withConfig('{ "properties": { "page": 2 }, "sandbox": { "properties": 200001 } }');
  const own = await runCli(["sandbox", "--json"], { cwd });
  expect(own.records).toMatchObject([{ code: "option_invalid" }]);
  const none = await runCli(["sandbox", "--json", "HOOKPORTER_ANSWER_TIMEOUT=0ms"], {
    cwd: withConfig('{ "properties": { "page": 2 } }'),
  });
  expect(none.records).toMatchObject([{ code: "option_invalid" }]);
});

it("all values of a list are used", async () => {
  const cwd = withConfig('{ "secretEnv": ["NEW", "OLD"] }');
  const OLD = secretEnv.HOOKPORTER_SECRET;
  const signed = await runCli(["sign"], { cwd: tempFolder(), env: secretEnv, stdin });
  const env = { NEW: "another secret of good size", OLD };
  const argv = ["verify", "--json", "--signature", signed.stdout.trim()];
  expect((await runCli(argv, { cwd, env, stdin })).records).toMatchObject([{ secret: "previous" }]);
});

it("a repeated list flag adds up", async () => {
  const run = await runCli(
    ["sign", "--secret-env", "MISSING", "--secret-env", "HOOKPORTER_SECRET"],
    {
      env: secretEnv,
      stdin,
    },
  );
  expect(run.code).toBe(3);
  expect(run.stderr).toContain("MISSING to be set as well");
});

describe("a setting of a flag that commands share", () => {
  const TRIGGER = ["trigger", "payment.received", "--json"];

  it("belongs to one command if it means something different in each", async () => {
    const { url, cwd, stop } = await listening({
      HOOKPORTER_TIMEOUT: "5s",
      HOOKPORTER_COUNT: "1",
      HOOKPORTER_TRIGGER_COUNT: "3",
    });
    const env = { HOOKPORTER_COUNT: "5", HOOKPORTER_TRIGGER_COUNT: "3" };
    expect((await runCli([...TRIGGER, "--url", url], { cwd, env })).records).toHaveLength(3);
    expect(await stop()).toBe(0); // it had no goal
  });

  it("does not make a plain listen fail because there is no goal", async () => {
    const { stop } = await listening({ HOOKPORTER_LISTEN_TIMEOUT: "60s" });
    expect(await stop()).toBe(0);
    const configured = await listening({}, [], withConfig('{ "listen": { "timeout": "60s" } }'));
    expect(await configured.stop()).toBe(0);
  });

  it("applies if there is a goal", async () => {
    const { finished } = await listening({ HOOKPORTER_LISTEN_TIMEOUT: "50ms" }, ["--count", "1"]);
    expect((await finished).code).toBe(6);
  });

  it("is overridden by a typed goal", async () => {
    const { url, cwd, finished } = await listening({ HOOKPORTER_LISTEN_COUNT: "5" }, [
      "--count",
      "1",
    ]);
    await runCli([...TRIGGER, "--url", url], { cwd });
    expect((await finished).code).toBe(0);
  });

  it("is overridden by a typed kind", async () => {
    const { url, cwd, stop } = await listening();
    const env = { HOOKPORTER_TRIGGER_ALL: "true" };
    expect((await runCli([...TRIGGER, "--url", url], { cwd, env })).records).toHaveLength(1);
    expect((await runCli(["trigger", "--json", "--url", url], { cwd, env })).records).toHaveLength(
      12,
    );
    expect(await stop()).toBe(0);
  });

  it("is overridden by a typed target", async () => {
    const { url, cwd, stop } = await listening();
    await runCli([...TRIGGER, "--url", url], { cwd });
    const env = { HOOKPORTER_REPLAY_HANDLERS: "missing.ts" };
    const run = await runCli(["replay", "1", "--url", url, "--json"], { cwd, env });
    expect(run.records).toMatchObject([{ type: "answer", status: 200 }]);
    const both = await runCli(["replay", "1", "--url", url, "--handlers", "missing.ts"], { cwd });
    expect(both.code).toBe(2);
    expect(await stop()).toBe(0);
  });
});

/** Starts a `listen` with its own settings; `stop` returns its exit code. */
async function listening(
  env: Record<string, string> = {},
  argv: readonly string[] = [],
  cwd = tempFolder(),
) {
  const listen = startCli(["listen", "--port", "0", "--json", ...argv], { cwd, env });
  const ready = () => listen.now().records.find(({ type }) => type === "ready");
  await vi.waitFor(() => expect(ready(), listen.now().stderr).toBeDefined(), 20_000);
  const stop = async () => {
    listen.signal("SIGINT");
    return (await listen.finished).code;
  };
  return { ...listen, url: String(ready()?.url), cwd, stop };
}

describe("what a project says once", () => {
  const PROJECT =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as the file has it
    '{ "project": { "inbox": "${DATABASE_URL:-server.db}" }, "events list": { "limit": 3 } }';

  async function origin(command: string, cwd: string, env: Record<string, string> = {}) {
    const { records, code } = await runCli(["doctor", "--explain", command, "--json"], {
      cwd,
      env,
    });
    expect(code).toBe(0);
    return records.find(({ name }) => name === "inbox");
  }

  it("the section `project` says where every command but `listen` has its inbox", async () => {
    const cwd = withConfig(PROJECT);
    const from = "hookporter.config.json (project: inbox)";
    for (const command of ["events list", "types", "events retry", "events backup", "replay"]) {
      const found = await origin(command, cwd);
      expect(found, command).toMatchObject({ value: join(cwd, "server.db"), from });
    }
    expect(await origin("listen", cwd)).toMatchObject({
      value: join(cwd, ".hookporter/inbox.db"),
      from: "default",
    });
  });

  it("HOOKPORTER_INBOX of .env overrides it, except for `listen`; the environment overrides both", async () => {
    const cwd = withConfig(PROJECT);
    writeFileSync(join(cwd, ".env"), "HOOKPORTER_INBOX=moved.db\n");
    const from = "HOOKPORTER_INBOX in .env";
    expect(await origin("events list", cwd)).toMatchObject({ value: join(cwd, "moved.db"), from });
    expect(await origin("listen", cwd)).toMatchObject({ from: "default" });
    const env = { HOOKPORTER_INBOX: "set.db" };
    for (const command of ["events list", "listen"])
      expect(await origin(command, cwd, env)).toMatchObject({
        value: join(cwd, "set.db"),
        from: "HOOKPORTER_INBOX",
      });
  });

  it("a variable that the file names is one of .env or the environment, and its password is not shown", async () => {
    const cwd = withConfig(PROJECT);
    writeFileSync(join(cwd, ".env"), "DATABASE_URL=postgres://app:very-hidden@db.internal/app\n");
    const run = await runCli(["doctor", "--explain", "events list"], { cwd });
    expect(run.stdout).toMatch(
      /^inbox +postgres:\/\/\S*db\.internal\/app {2}from hookporter\.config\.json/m,
    );
    expect(run.stdout).not.toContain("very-hidden");
    expect(run.stdout).toMatch(/^limit +from hookporter\.config\.json \(events list: limit\)$/m);
  });

  it("a variable of .env comes after the command's section of the file, and before the rest of it", async () => {
    const cwd = withConfig(
      '{ "verify": { "signatureHeader": "x-own" }, "signatureHeader": "x-all" }',
    );
    writeFileSync(join(cwd, ".env"), "HOOKPORTER_SIGNATURE_HEADER=x-env\n");
    expect(await headerName([], cwd)).toBe("x-env");
    const own = withConfig('{ "sign": { "signatureHeader": "x-own" } }');
    writeFileSync(join(own, ".env"), "HOOKPORTER_SIGNATURE_HEADER=x-env\n");
    expect(await headerName([], own)).toBe("x-own");
    expect(await headerName([], own, { HOOKPORTER_SIGNATURE_HEADER: "x-set" })).toBe("x-set");
  });

  it("says where the secret is from, and changes nothing", async () => {
    const cwd = withConfig("{}");
    const none = await runCli(["doctor", "--explain", "listen"], { cwd });
    expect([none.code, none.stdout]).toEqual([
      0,
      expect.stringMatching(/^secret +from nowhere: /m),
    ]);
    const set = await runCli(["doctor", "--explain", "sign"], { cwd, env: secretEnv });
    expect(set.stdout).toMatch(/^secret +from HOOKPORTER_SECRET$/m);
    expect(readdirSync(cwd)).toEqual(["hookporter.config.json"]);
  });

  it("an unknown key of `project` is refused, with the one that was meant", async () => {
    const run = await runCli(["sign"], {
      cwd: withConfig('{ "project": { "inbx": "x" } }'),
      env: secretEnv,
      stdin,
    });
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining('did you mean "inbox"?')]);
  });
});

it.each([
  ["the environment", { HOOKPORTER_ALLOW: "hosts" }, ""],
  [".env", {}, "HOOKPORTER_ALLOW=hosts\n"],
])(
  "a variable in %s for a flag that counts on the command line alone is told",
  async (where, env, file) => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, ".env"), file);
    const run = await runCli(["mcp"], { cwd, env, stdin: "" });
    expect(run.stderr).toBe(
      `HOOKPORTER_ALLOW in ${where} is not used: --allow counts on the command line alone\n`,
    );
    expect(run.stdout).toBe("");
  },
);
