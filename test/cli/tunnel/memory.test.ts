import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rememberedUrl, rememberUrl } from "../../../src/cli/tunnel/memory.ts";
import { tempFolder } from "../fake-io.ts";

it("remembers the address of each tunnel, replaces it, and takes a damaged one for none", () => {
  const cwd = tempFolder();
  expect(rememberedUrl(cwd, "ngrok")).toBeUndefined();
  rememberUrl(cwd, "ngrok", "https://one.example/");
  rememberUrl(cwd, "ssh", "https://two.example/");
  rememberUrl(cwd, "ngrok", "https://three.example/");
  expect(["ngrok", "ssh"].map((name) => rememberedUrl(cwd, name))).toEqual([
    "https://three.example/",
    "https://two.example/",
  ]);
  const folder = join(cwd, ".hookporter", "tunnels");
  expect(readdirSync(folder).sort()).toEqual(["ngrok", "ssh"]);
  writeFileSync(join(folder, "ngrok"), "\0");
  expect(rememberedUrl(cwd, "ngrok")).toBeUndefined();
});
