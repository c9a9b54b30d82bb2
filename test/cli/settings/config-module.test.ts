import { expect, it, onTestFinished, vi } from "vitest";
import { SECRET } from "../../receiver/sample.ts";
import { consentTo } from "../consent.ts";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

const env = { HOOKPORTER_SECRET: SECRET };
const TS = "hookporter.config.ts";

const sign = async (cwd: string) =>
  runCli(["sign", "--header"], {
    cwd,
    env: { ...env, ...(await consentTo(cwd)) },
    stdin: "body",
  });

it.each([
  [TS, 'const name: string = "x-own"; export default { signatureHeader: name };'],
  ["hookporter.config.mts", 'export default { signatureHeader: "x-own" } satisfies object;'],
  ["hookporter.config.js", 'export default { signatureHeader: "x-own" };'],
  ["hookporter.config.js", 'module.exports = { signatureHeader: "x-own" };'],
  ["hookporter.config.mjs", 'export default { sign: { signatureHeader: "x-own" } };'],
])("%s is loaded: %s", async (name, text) => {
  expect((await sign(folderWith({ [name]: text }))).stdout).toMatch(/^x-own: /);
});

it("a module may import other files of the project, and keys that are undefined count as missing", async () => {
  const cwd = folderWith({
    "names.ts": 'export const name: string = "x-imported";',
    [TS]: 'import { name } from "./names.ts"; export default { sign: { signatureHeader: undefined }, listen: undefined, signatureHeader: name };',
  });
  expect((await sign(cwd)).stdout).toMatch(/^x-imported: /);
});

it("a module may take a URL with a password from a variable, but not contain one", async () => {
  const url = "postgres://app:open-sesame@127.0.0.1:1/app";
  vi.stubEnv("APP_DATABASE", url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const list = async (text: string) => {
    const cwd = folderWith({ [TS]: text });
    return runCli(["events", "list"], { cwd, env: { ...env, ...(await consentTo(cwd)) } });
  };
  const taken = await list("export default { inbox: process.env.APP_DATABASE };");
  expect(taken.stderr).toMatch(/127\.0\.0\.1:1\/app/); // nothing listens there
  expect(taken.stderr).not.toMatch(/open-sesame|configuration file/);
  for (const text of [
    `export default { inbox: ${JSON.stringify(url)} };`,
    'const host = "127.0.0.1:1"; export default { inbox: "postgres://app:open-sesame@" + host + "/app" };',
  ]) {
    const { code, stderr } = await list(text);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^error: expected a URL without a password in the configuration file \(inbox\)/,
    );
    expect(stderr).not.toContain("open-sesame");
  }
});

it("what a module prints goes to standard error", async () => {
  const printing = 'console.log("printed"); export default {};';
  const { stdout, stderr } = await sign(folderWith({ [TS]: printing }));
  expect(stdout).toMatch(/^x-service-signature: \S+\n$/);
  expect(stderr).toBe("printed\n");
});

it.each([
  [
    "throws",
    'const a: string = "";\nthrow new Error("no luck");',
    /no luck \(hookporter\.config\.ts:2:7\)$/,
  ],
  ["throws a text", 'throw "no luck";', /could not be loaded: no luck$/],
  [
    "cannot be parsed",
    "\n\nexport default {{",
    /could not be loaded: .* \(hookporter\.config\.ts:3:\d+\)$/,
  ],
  [
    "imports what is missing",
    'import "./gone.ts"; export default {};',
    /Cannot find module '\.\/gone\.ts'/,
  ],
  ["exports only names", "export const listen = {};", /no default export: write export default/],
  ["exports nothing", "const config = { once: true };", /has no default export/],
  ["exports undefined", "export default undefined;", /has no default export/],
  ["exports a function", "export default () => ({});", /an object of settings, got a function/],
  ["exports a list", "export default [];", /expected an object of settings, got a list/],
  ["names undefined", "const a = undefined; export { a as default };", /has no default export/],
  ["exports a promise", "export default Promise.resolve({});", /got a promise/],
  ["has an unknown key", "export default { signatureHaeder: 1 };", /mean "signatureHeader"\?/],
  ["has an unknown command", "export default { listne: {} };", /"listne": did you mean "listen"\?/],
  [
    "has an unknown key of a command",
    "export default { sign: { haeder: true } };",
    /under "sign": did you mean "header"\?/,
  ],
  [
    "has a function as a value",
    "export default { signatureHeader: () => 1 };",
    /\(signatureHeader\): expected a string/,
  ],
  ["has a secret", 'export default { secret: "x" };', /do not put secrets here/],
])("a module that %s is refused with one line and exit code 3", async (_, text, message) => {
  const cwd = folderWith({ [TS]: text });
  const { code, stderr } = await sign(cwd);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^error: hookporter\.config\.ts .*\n$/);
  expect(stderr.trimEnd()).toMatch(message);
  expect(stderr).not.toContain(cwd);
});

it("two configuration files are refused, with the names of both", async () => {
  const cwd = folderWith({ [TS]: "export default {};", "hookporter.config.json": "{}" });
  const { code, stderr } = await runCli(["sign"], { cwd, env, stdin: "body" });
  expect(code).toBe(3);
  expect(stderr).toContain("got hookporter.config.json and hookporter.config.ts");
});
