import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { curlCommand } from "../../../src/inspector/entries/curl-command.ts";
import { curlLine } from "../../../src/relay/curl-line.ts";
import { tempFolder } from "../../cli/fake-io.ts";
import { sampleDelivery } from "../../inbox/entries.ts";

const ENDPOINT = new URL("http://127.0.0.1:9/a'b?c=$(touch%20hacked)&d=`touch hacked`");

/** Texts that a shell would run, if they were words of their own. */
const RUNS = [
  "touch hacked",
  "\ntouch hacked\n",
  "'; touch hacked; '",
  "$(touch hacked)",
  "`touch hacked`",
  "x\r\ntouch hacked #",
  "\u2028touch hacked",
  "&touch$IFShacked&",
  "|touch$IFShacked",
];

const text = fc.oneof(
  fc.constantFrom(...RUNS),
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(...RUNS, "x-a", "'", '"', "\\", "\n", "\t", "\u0000", "\u001b", "\u202e"),
    )
    .map((parts) => parts.join("")),
);

const delivery = fc.record({
  headers: fc.dictionary(text, text),
  target: text.map((query) => `/webhooks?${query}`),
  hidden: fc.array(text, { maxLength: 3 }),
});

/** Only what separates lines, and the notes in them. */
const CONTROL = /(?!\n)[\p{Cc}\u2028\u2029\u202e]/u;

it("a copied command has one line and its notes, whatever a delivery holds", () => {
  fc.assert(
    fc.property(delivery, ({ headers, target, hidden }) => {
      const command = curlCommand(sampleDelivery({ headers, target }), ENDPOINT, hidden);
      expect(command).not.toMatch(CONTROL);
      const [, ...notes] = command.trimEnd().split("\n");
      for (const note of notes) expect(note).toMatch(/^# omitted, since /);
      expect(curlLine({ target: ENDPOINT, headers, file: "-" }).line).not.toMatch(/\p{Cc}/u);
    }),
  );
});

const hasBash = spawnSync("bash", ["--version"]).error === undefined;

it.skipIf(!hasBash)(
  "a copied command runs nothing but what it is, also where a shell has no comments",
  () => {
    const cwd = tempFolder();
    const hostile = Object.fromEntries(RUNS.map((name) => [`x-${name}`, name]));
    const target = `/webhooks?${RUNS.join("=1&")}`;
    const command = curlCommand(sampleDelivery({ headers: hostile, target }), ENDPOINT, RUNS);
    const pasted = `curl() { :; }\n${command}${command.replaceAll("\n# ", "\n")}`;
    spawnSync("bash", { input: pasted, cwd });
    expect(readdirSync(cwd)).toEqual([]);
  },
);
