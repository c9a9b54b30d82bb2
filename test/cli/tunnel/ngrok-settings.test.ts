import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import {
  authtokenOf,
  ngrokConfigPath,
  ngrokSettings,
} from "../../../src/cli/tunnel/ngrok-settings.ts";
import { fakeIo, tempFolder } from "../fake-io.ts";

/** The settings in a folder with these files and variables; `HOME` is there too. */
function settings({
  env = {},
  files = {},
  mode = 0o600,
}: {
  env?: Record<string, string>;
  files?: Record<string, string>;
  mode?: number;
} = {}) {
  const cwd = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text, { mode });
  }
  const { io } = fakeIo({ cwd, env: { HOME: cwd, ...env } });
  return (options = {}) => ngrokSettings(options, createContext(io));
}

const config = ngrokConfigPath({ HOME: "/h" })?.slice("/h/".length) ?? "";
const ENV = { NGROK_AUTHTOKEN: "from-env" };
const FILES = {
  ".env": "NGROK_AUTHTOKEN=from-env-file\n",
  [config]: "authtoken: from-ngrok\n",
};
const { [config]: ngrokFile } = FILES;

it("the token is read from the environment, the env file, then ngrok's", () => {
  expect(settings({ env: ENV, files: FILES })()).toEqual({ authtoken: "from-env" });
  expect(settings({ files: FILES })()).toEqual({ authtoken: "from-env-file" });
  expect(settings({ files: { [config]: ngrokFile ?? "" } })()).toEqual({ authtoken: "from-ngrok" });
});

it.each([{}, { [config]: "version: 3\nagent:\n  api_key: x\n" }, { ".env": "NGROK_AUTHTOKEN=\n" }])(
  "a missing token is refused before the start: %j",
  (files) => {
    expect(settings({ files: { ...files } })).toThrow(
      expect.objectContaining({ code: "credential_missing" }),
    );
  },
);

it("an own ingress is read, which decides for itself whether it requires a token, and an invalid one is refused", () => {
  const env = { HOOKPORTER_NGROK_SERVER_ADDR: "tunnel.example.com:443" };
  expect(settings({ env })()).toEqual({ serverAddr: "tunnel.example.com:443" });
  const withCa = { ...env, HOOKPORTER_NGROK_CA_FILE: "ca.pem" };
  const files = { "ca.pem": "a certificate" };
  expect(settings({ env: withCa, files })()).toEqual({
    serverAddr: "tunnel.example.com:443",
    ca: "a certificate",
  });
  for (const [name, value] of [
    ["HOOKPORTER_NGROK_SERVER_ADDR", "https://x"],
    ["HOOKPORTER_NGROK_CA_FILE", "no.pem"],
  ] as const)
    expect(settings({ env: { [name]: value } })).toThrow(
      expect.objectContaining({ code: "usage" }),
    );
});

it.each([
  ["version 2", 'version: "2"\nauthtoken: 2abc_DEF # mine\nregion: eu\n', "2abc_DEF"],
  ["version 3", 'version: "3"\nagent:\n    authtoken: "2abc_DEF"\n    api_key: x\n', "2abc_DEF"],
  ["line ends of Windows", "version: 3\r\nagent:\r\n  authtoken: '2abc_DEF'\r\n", "2abc_DEF"],
  ["no token", "version: 3\nagent:\n  authtoken:\n  api_key: x\n", undefined],
  ["a token of something else", "tunnels:\n  web:\n    authtoken: no\n", undefined],
  ["a comment", "# authtoken: no\n", undefined],
  ["an empty file", "", undefined],
])("the token is found in ngrok's file: %s", (_, yaml, token) =>
  expect(authtokenOf(yaml)).toBe(token),
);

it.runIf(process.platform === "linux")(
  "the path of ngrok's file is in the folder for settings",
  () => {
    expect(ngrokConfigPath({ HOME: "/h" })).toBe("/h/.config/ngrok/ngrok.yml");
    expect(ngrokConfigPath({})).toBeUndefined();
  },
);
