import { describe, expect, it } from "vitest";
import { readCommand } from "../../../src/cli/settings/values.ts";
import { readHost, readPattern, readRemotePort } from "../../../src/cli/tunnel/tunnel-options.ts";

it("a host may be a name, an address or a URL with a user and a port, and nothing that ssh reads otherwise", () => {
  const hosts = ["box", "ssh.example.com", "192.0.2.1", "2001:db8::1", "_my.box", "bücher.example"];
  const urls = ["ssh://box", "ssh://first.last+tag-1_x@box:2222", "ssh://me@[2001:db8::1]:22"];
  for (const text of [...hosts, ...urls]) expect(readHost(text)).toBe(text);
  const no = ["", "-oProxyCommand=x", "me@box", "a b", "box;ls", "$(box)", "box\n"];
  const noUser = ["ssh://-oProxyCommand=x", "ssh://-l@box", "ssh://a b@box", "ssh://$USER@box"];
  for (const text of [...no, ...noUser, "ssh://box/x", "ssh://box:ssh"])
    expect(() => readHost(text), text).toThrow("host");
});

it("a port of another machine is read, but never 0", () => {
  expect(readRemotePort("65535")).toBe(65_535);
  for (const text of ["0", "65536", "ssh", "-1"])
    expect(() => readRemotePort(text), text).toThrow("1 to 65535");
});

describe("a command", () => {
  it.each([
    ["bore local 4400", ["bore", "local", "4400"]],
    ["  bore\tlocal  ", ["bore", "local"]],
    [`"/opt/my tools/bore" --to 'a "b" c'`, ["/opt/my tools/bore", "--to", 'a "b" c']],
    [`tool --name="two words"x ''`, ["tool", "--name=two wordsx", ""]],
    [`tool "$HOME" * ; rm \\x`, ["tool", "$HOME", "*", ";", "rm", "\\x"]],
    [String.raw`C:\tools\bore.exe {port}`, [String.raw`C:\tools\bore.exe`, "{port}"]],
    ["tool '$1 $& $`'", ["tool", "$1 $& $`"]],
  ])("%j is read", (text, words) => expect(readCommand(text)).toEqual(words));

  it.each(["", "  ", "''", `tool "open`, "tool it's"])("%j is refused", (text) => {
    expect(() => readCommand(text)).toThrow("program");
  });

  it("cannot be repeated", () =>
    expect(() => readCommand("bore", ["bore"])).toThrow("one command"));
});

it("a regular expression is read", () => {
  expect(readPattern(String.raw`at (https://\S+)`)).toBe(String.raw`at (https://\S+)`);
  expect(() => readPattern("(")).toThrow("regular expression");
});
