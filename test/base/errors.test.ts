import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asError, describeError } from "../../src/base/errors.ts";
import { ConfigurationError, HookporterError } from "../../src/entries/index.ts";

const source = join(import.meta.dirname, "..", "..", "src");

/** The rooms of the library whose errors its users read. */
const ROOMS = [
  "adapters",
  "receiver",
  "http",
  "dispatch",
  "inbox",
  "signature",
  "event",
  "service/client",
  "service/sandbox",
];

/**
 * Messages that are made where something else is known: what the writer's thread says, what the
 * check of a file finds, and which package is missing.
 */
const MADE_ELSEWHERE = [
  "base/options/check-options.ts: message",
  "inbox/sqlite.ts: trust.damage",
  "inbox/sqlite/care/rescue.ts: missing + rest)",
  "inbox/sqlite/client.ts: message",
  "inbox/sqlite/file/inbox-file.ts: message",
  "inbox/sqlite/file/presence.ts: message",
  "inbox/sqlite/thread/batch.ts: message",
];

const files = ROOMS.flatMap((room) => {
  const found = readdirSync(join(source, room), { recursive: true, encoding: "utf8" });
  return found.filter((name) => name.endsWith(".ts")).map((name) => `${room}/${name}`);
});

/** The source of each message that an error of ours has; of a variable, what it is set to. */
const messages = [...files, "base/options/check-options.ts", "testing/test-receiver.ts"].flatMap(
  (file) => {
    const text = readFileSync(join(source, file), "utf8");
    const calls = [
      ...text.matchAll(/new (?:HookporterError|ConfigurationError)\(\s*[^,]+,\s*|throw refusal\(/g),
    ];
    const made = calls.map(({ index, 0: head }) => {
      const [message = ""] = text
        .slice(index + head.length)
        .split(/;\n|\n\s*\}\);|, \{ cause|\)\)|, options\)/);
      const [name] = /^[\w.]+(?=[,)]|$)/.exec(message.trim()) ?? [];
      const set = name === undefined ? -1 : text.lastIndexOf(`const ${name} =`, index);
      return { file, message: set < 0 ? message : text.slice(set, text.indexOf(";\n", set)), name };
    });
    // Files that write "expected" in one place, for all their messages.
    if (!text.includes("function invalid(expected: string)")) return made;
    const rest = [...text.matchAll(/throw invalid\(([^;]*);/g)].map(([, end]) => `expected ${end}`);
    const whole = made.filter(({ message }) => !/\$\{expected\}/.test(message));
    return [...whole, ...rest.map((message) => ({ file, message, name: undefined }))];
  },
);

it("every message of an error of the library says what was expected, what was got, and how to fix it", () => {
  expect(messages.length).toBeGreaterThan(50);
  const wrong = messages.filter(({ message }) => !/\bexpected.*\b(?:got|but)\b.*: /s.test(message));
  const known = wrong.map(({ file, message, name }) => `${file}: ${name ?? message}`);
  expect(known.sort()).toEqual(MADE_ELSEWHERE);
});

describe("a HookporterError", () => {
  it("has its code, its cause and its class's name", () => {
    const cause = new Error("behind it");
    const error = new ConfigurationError("option_invalid", "expected more, got less: add some", {
      cause,
    });
    expect(error).toMatchObject({ name: "ConfigurationError", code: "option_invalid", cause });
    expect(error).toBeInstanceOf(HookporterError);
    expect(new HookporterError("closed", "x").name).toBe("HookporterError");
  });
});

it.each<[unknown, string]>([
  [new Error("a text"), "a text"],
  [new TypeError(), "TypeError"],
  ["a text", "a text"],
  [
    new Error(
      "write EPROTO 80ECC4FD5B7F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/ssl3_record.c:350:\n",
    ),
    "write EPROTO wrong version number",
  ],
  [undefined, "thrown: undefined"],
  [{ toString: () => Promise.reject }, "thrown: a value that cannot be shown"],
])("describes %o in one line", (thrown, text) => {
  expect(describeError(thrown)).toBe(text);
});

it("asError keeps an error and wraps anything else", () => {
  const error = new TypeError("x");
  expect(asError(error)).toBe(error);
  expect(asError("a text")).toMatchObject({ message: "a text" });
});
