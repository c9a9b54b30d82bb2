import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { SECRET } from "../../receiver/sample.ts";
import { consentTo } from "../consent.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { cliIn } from "../inbox-folder.ts";
import { listening } from "../open-listen.ts";

const secretEnv = { HOOKPORTER_SECRET: SECRET };

const withConfig = (config: object | string, dotEnv = "") =>
  folderWith({ "hookporter.config.json": config, ".env": dotEnv });

/** Runs `sign` on a body. */
const sign = (cwd: string, flags = "", env: Record<string, string> = {}) =>
  cliIn(cwd)(`sign${flags}`, { env: { ...secretEnv, ...env }, stdin: "body" });

async function headerName(cwd: string, env: Record<string, string> = {}, flags = "") {
  const { stdout, stderr } = await sign(cwd, ` --header${flags}`, env);
  expect(stderr).toBe("");
  return stdout.slice(0, stdout.indexOf(":"));
}

it.each(["hookporter.config.json", "hookporter.config.ts"])(
  "a flag overrides the environment, the environment %s, the file the default",
  async (name) => {
    const config = '{ "signatureHeader": "x-config" }';
    const cwd = folderWith({ [name]: name.endsWith(".ts") ? `export default ${config}` : config });
    const consent = name.endsWith(".ts") ? await consentTo(cwd) : {};
    const env = { ...consent, HOOKPORTER_SIGNATURE_HEADER: "x-env" };
    expect(await headerName(tempFolder())).toBe("x-service-signature");
    expect(await headerName(cwd, consent)).toBe("x-config");
    expect(await headerName(cwd, env)).toBe("x-env");
    expect(await headerName(cwd, env, " --signature-header x-flag")).toBe("x-flag");
  },
);

it("a variable for a switch is true or false, and none if it is empty; what is invalid is reported with its variable", async () => {
  const cwd = tempFolder();
  const headerAs = (value: string) => sign(cwd, "", { HOOKPORTER_SIGN_HEADER: value });
  expect((await headerAs("true")).stdout).toMatch(/^x-service-signature: /);
  expect((await headerAs("0")).stdout).toMatch(/^sha256=/);
  expect((await headerAs("")).stdout).toMatch(/^sha256=/);
  const wrong = await headerAs("maybe");
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining("HOOKPORTER_SIGN_HEADER"),
  ]);
  expect(await headerName(cwd, { HOOKPORTER_SIGNATURE_HEADER: "" })).toBe("x-service-signature");
  const port = await runCli(["listen"], { env: { ...secretEnv, HOOKPORTER_LISTEN_PORT: "many" } });
  expect([port.code, port.stderr]).toEqual([2, expect.stringContaining("HOOKPORTER_LISTEN_PORT")]);
});

it.each([
  ["is not JSON", "{"],
  ["is not an object", "[]"],
  ["has an unknown key", '{ "prot": 1 }'],
  ["has an unknown key of the project", '{ "project": { "inbx": "x" } }'],
  ["has a secret", '{ "secret": "a secret of good size" }'],
  ["sends a key to its own address", '{ "baseUrl": "https://a.test/$\\u007bHOOKPORTER_API_KEY}" }'],
  ["sends a secret to its own address", '{ "url": "https://$\\u007bHOOKPORTER_SECRET:-}.test" }'],
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
  const { code, stderr } = await sign(withConfig(config));
  expect([code, stderr]).toEqual([3, expect.stringContaining("hookporter.config.json")]);
});

it("a flag under its command overrides the same flag for all commands; .env comes between the two", async () => {
  const own = { signatureHeader: "x-own" };
  const all = { signatureHeader: "x-all" };
  const dotEnv = "HOOKPORTER_SIGNATURE_HEADER=x-file\n";
  const env = { HOOKPORTER_SIGNATURE_HEADER: "x-env" };
  expect(await headerName(withConfig({ sign: own, ...all, verify: {} }))).toBe("x-own");
  expect(await headerName(withConfig({ verify: own, ...all }))).toBe("x-all");
  expect(await headerName(withConfig({ verify: own, ...all }, dotEnv))).toBe("x-file");
  expect(await headerName(withConfig({ sign: own }, dotEnv))).toBe("x-own");
  expect(await headerName(withConfig({ sign: own, ...all }, dotEnv), env)).toBe("x-env");
});

it("a command's settings are not confused with a flag of its name in another command", async () => {
  const properties = { properties: { page: 2 } };
  for (const [config, flags] of [
    [{ ...properties, sandbox: { properties: 200_001 } }, ""],
    [properties, " HOOKPORTER_ANSWER_TIMEOUT=0ms"],
  ] as const) {
    const { records } = await cliIn(withConfig(config))(`sandbox --json${flags}`);
    expect(records).toMatchObject([{ code: "option_invalid" }]);
  }
});

it("all values of a list are used, and a repeated list flag adds up", async () => {
  const cwd = withConfig({ secretEnv: ["HOOKPORTER_NEW", "HOOKPORTER_OLD"] });
  const signature = (await sign(tempFolder())).stdout.trim();
  const env = { HOOKPORTER_NEW: "another secret of good size", HOOKPORTER_OLD: SECRET };
  const verified = await cliIn(cwd, { env, stdin: "body" })(
    `verify --json --signature ${signature}`,
  );
  expect(verified.records).toMatchObject([{ secret: "previous" }]);
  const flags = " --secret-env MISSING --secret-env HOOKPORTER_SECRET";
  const { code, stderr } = await sign(tempFolder(), flags);
  expect([code, stderr]).toEqual([3, expect.stringContaining("MISSING to be set as well")]);
});

describe("a setting of a flag that commands share", () => {
  /** A `listen` with settings and flags, and triggers to it with other settings. */
  async function open(env: Record<string, string> = {}, flags: string[] = [], cwd = tempFolder()) {
    const listen = await listening(flags, cwd, env);
    const cli = (line: string, more: Record<string, string> = {}) =>
      cliIn(cwd)(`${line} --url ${listen.url}`, { env: more });
    return { cli, finished: listen.finished, stop: async () => (await listen.stop()).code };
  }

  it("belongs to one command if it means something different in each", async () => {
    const { cli, stop } = await open({
      HOOKPORTER_TIMEOUT: "5s",
      HOOKPORTER_COUNT: "1",
      HOOKPORTER_TRIGGER_COUNT: "3",
    });
    const env = { HOOKPORTER_COUNT: "5", HOOKPORTER_TRIGGER_COUNT: "3" };
    expect((await cli("trigger payment.received --json", env)).records).toHaveLength(3);
    expect(await stop()).toBe(0); // it had no goal
  });

  it("does not make a plain listen fail because there is no goal, and applies if there is one", async () => {
    const limit = { HOOKPORTER_LISTEN_TIMEOUT: "60s" };
    expect(await (await open(limit)).stop()).toBe(0);
    const configured = withConfig({ listen: { timeout: "60s" } });
    expect(await (await open({}, [], configured)).stop()).toBe(0);
    const short = await open({ HOOKPORTER_LISTEN_TIMEOUT: "50ms" }, ["--count", "1"]);
    expect((await short.finished).code).toBe(6);
  });

  it("is overridden by a typed goal or target", async () => {
    const { cli, finished } = await open({ HOOKPORTER_LISTEN_COUNT: "5" }, ["--count", "2"]);
    await cli("trigger payment.received");
    const env = { HOOKPORTER_REPLAY_HANDLERS: "missing.ts" };
    const { records } = await cli("replay 1 --json", env);
    expect(records).toMatchObject([{ type: "answer", status: 200 }]);
    expect((await finished).code).toBe(0);
  });
});

describe("what a project says once", () => {
  const PROJECT =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as the file has it
    '{ "project": { "inbox": "${DATABASE_URL:-server.db}" }, "events list": { "limit": 3 } }';

  const explain = (cwd: string, command: string, env = {}, ...more: string[]) =>
    runCli(["doctor", "--explain", command, ...more], { cwd, env });

  async function origin(command: string, cwd: string, env: Record<string, string> = {}) {
    const { records, code } = await explain(cwd, command, env, "--json");
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
    const value = join(cwd, ".hookporter/inbox.db");
    expect(await origin("listen", cwd)).toMatchObject({ value, from: "default" });
  });

  it("HOOKPORTER_INBOX of .env overrides it, except for `listen`; the environment overrides both", async () => {
    const cwd = withConfig(PROJECT, "HOOKPORTER_INBOX=moved.db\n");
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
    const database = "DATABASE_URL=postgres://app:very-hidden@db.internal/app\n";
    const cwd = withConfig(PROJECT, database);
    const { stdout } = await explain(cwd, "events list", await consentTo(cwd));
    expect(stdout).toMatch(
      /^inbox +postgres:\/\/\S*db\.internal\/app {2}from hookporter\.config\.json/m,
    );
    expect(stdout).not.toContain("very-hidden");
    expect(stdout).toMatch(/^limit +from hookporter\.config\.json \(events list: limit\)$/m);
  });

  it("says where the secret is from, and changes nothing", async () => {
    const cwd = folderWith({ "hookporter.config.json": "{}" });
    const none = await explain(cwd, "listen");
    expect(none.code).toBe(0);
    expect(none.stdout).toMatch(/^secret +from nowhere: /m);
    const set = await explain(cwd, "sign", secretEnv);
    expect(set.stdout).toMatch(/^secret +from HOOKPORTER_SECRET$/m);
    expect(readdirSync(cwd)).toEqual(["hookporter.config.json"]);
  });
});

it.each([
  ["the environment", { HOOKPORTER_ALLOW: "hosts" }, ""],
  [".env", {}, "HOOKPORTER_ALLOW=hosts\n"],
])(
  "a variable in %s for a flag that counts on the command line alone is told",
  async (where, env, file) => {
    const run = await runCli(["mcp"], { cwd: folderWith({ ".env": file }), env });
    expect(run.stderr).toBe(
      `HOOKPORTER_ALLOW in ${where} is not used: --allow counts on the command line alone\n`,
    );
    expect(run.stdout).toBe("");
  },
);

it.each([
  ["listen --ssh-identity key", "--ssh-identity", "sshIdentity", "HOOKPORTER_SSH_IDENTITY"],
  ["listen --max-forwards=soon", "--max-forwards", "maxForwards", "HOOKPORTER_MAX_FORWARDS"],
  ["subscribe 1 --timeout 1s", "--timeout", "timeout", "HOOKPORTER_SUBSCRIBE_TIMEOUT"],
  ["doctor --exec true", "--exec", "exec", "HOOKPORTER_EXEC"],
])(
  "`%s`: a setting that is typed is a usage error that says where to set it",
  async (line, flag, key, variable) => {
    const { code, stderr } = await runCli(line.split(" "));
    expect(code).toBe(2);
    expect(stderr).toBe(
      `error: expected no ${flag}, which is a setting: set ${key} in hookporter.config.json, or ${variable}\n`,
    );
  },
);

it("a setting is read from its variable and from the files, also of the env file that they name, and is not in the help", async () => {
  const printed = async (config: object, more: Record<string, string> = {}) => {
    const own = `HOOKPORTER_SECRET=${SECRET}\nHOOKPORTER_SIGNATURE_HEADER=x-own\n`;
    const event = sampleEvent("lead.created");
    const files = { "hookporter.config.json": config, "own.env": own, "event.json": event };
    return (await cliIn(folderWith(files))("replay event.json --dry-run", { env: more })).stdout;
  };
  const variable = { ...secretEnv, HOOKPORTER_SIGNATURE_HEADER: "x-variable" };
  expect(await printed({}, variable)).toContain("x-variable: sha256=");
  const section = { replay: { signatureHeader: "x-file" } };
  expect(await printed(section, secretEnv)).toContain("x-file: sha256=");
  expect(await printed({ envFile: "own.env" })).toContain("x-own: sha256=");
  const help = await runCli(["replay", "--help", "--all"]);
  expect(help.stdout).not.toContain("--signature-header");
});
