import { describe, expect, it } from "vitest";
import { readCommand } from "../../../src/cli/settings/values.ts";
import { readHost, readPattern, readRemotePort, readUser } from "../../../src/cli/tunnel/values.ts";

describe("a host", () => {
  it.each(["box", "ssh.example.com", "192.0.2.1", "2001:db8::1", "_my.box", "bücher.example"])(
    "may be %s",
    (text) => {
      expect(readHost(text)).toBe(text);
    },
  );

  it.each(["", "-oProxyCommand=x", "me@box", "ssh://box", "a b", "box;ls", "$(box)", "box\n"])(
    "may not be %j",
    (text) => expect(() => readHost(text)).toThrow("host"),
  );
});

it("a user is read, but nothing that ssh could read as something else", () => {
  expect(readUser("first.last+tag-1_x")).toBe("first.last+tag-1_x");
  for (const text of ["", "-l", "a b", "a@b", "$USER", "a\n"])
    expect(() => readUser(text), text).toThrow("user");
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

  it("cannot be repeated", () => expect(() => readCommand("bore", ["bore"])).toThrow("one command"));
});

it("a regular expression is read", () => {
  expect(readPattern(String.raw`at (https://\S+)`)).toBe(String.raw`at (https://\S+)`);
  expect(() => readPattern("(")).toThrow("regular expression");
});
