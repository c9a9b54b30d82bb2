import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fetchReceiver } from "../../src/entries/fetch.ts";
import { SIGNATURE_HEADER, sign, verify, verifySync } from "../../src/entries/index.ts";
import { JsonLines } from "../../src/inspector/json/json-lines.ts";
import { readJson } from "../../src/inspector/json/json-reader.ts";
import { findLines, searchPattern } from "../../src/inspector/ui/json/find.ts";
import { runCli, tempFolder } from "../cli/fake-io.ts";
import { startReceiving } from "../cli/fake-target.ts";
import { repeated, slowOf } from "../growth.ts";
import { openReceiver } from "../receiver/open.ts";
import { envelope, SECRET } from "../receiver/sample.ts";

/** Milliseconds that count as no time, and those that are too many for 128 kB. */
const LEAST = 100;
const TOO_LONG = 5000;

/** Texts that a careless expression looks through again from each of their characters. */
const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  "white space between letters": (size) => `a${repeated(" \t", size)}a`,
  "beginnings without an end": (size) => repeated('<title ${a:-[x"//@:?', size),
  "an id without its end": (size) => `ab_${repeated("a0_", size)}!`,
  "digits and exponents": (size) => `0.${repeated("0", size / 2)}1e${repeated("9", size / 2)}`,
  "line breaks, quotes and assignments": (size) => repeated("\nexport A='\\\"", size),
};

const withData = (data: string) =>
  JSON.stringify(envelope({ event: "property.created", data: "@" })).replace('"@"', () => data);

/** Where a body has such a text. */
const PLACES: Readonly<Record<string, (text: string) => string>> = {
  "all of it": (text) => text,
  "a value": (text) => withData(`{"id":${JSON.stringify(text)}}`),
  "a key": (text) => withData(`{"id":"a",${JSON.stringify(text)}:1}`),
  "many values": (text) =>
    withData(`{"id":${JSON.stringify(text.match(/(?:.|\n){1,490}/g))},"name":"a"}`),
};

const BODIES: readonly (readonly [string, (size: number) => string])[] = [
  ...Object.entries(SHAPES).flatMap(([shape, make]) =>
    Object.entries(PLACES).map(
      ([place, put]) => [`${shape}: ${place}`, (size: number) => put(make(size))] as const,
    ),
  ),
  ["a number", (size) => withData(`{"surface":1${repeated("0", size)}e-${repeated("7", 8)}}`)],
  ["an exponent", (size) => withData(`{"surface":1e${repeated("7", size)}}`)],
  ["numbers", (size) => withData(`[${repeated("1.50e300,", size)}1]`)],
  [
    "keys",
    (size) => withData(`{${Array.from({ length: size / 10 }, (_, key) => `"k${key}":1`).join()}}`),
  ],
];

const slowBodies = (work: (body: string) => unknown) => slowOf(BODIES, work, LEAST, TOO_LONG);

const WRONG = `sha256=${"0".repeat(64)}`;
const signatures: readonly (readonly [string, (body: string) => string])[] = [
  ["unsigned", () => WRONG],
  ["signed", (body) => sign(Buffer.from(body), SECRET)],
];

it.each(signatures)("a receiver and %s bodies", { timeout: 120_000 }, async (_, signatureOf) => {
  const { receiver } = await openReceiver({ bodyLimit: 16 * 1024 * 1024 });
  receiver.on("*", () => {});
  const handle = fetchReceiver(receiver);
  const post = (body: string) =>
    handle(
      new Request("http://127.0.0.1/webhooks", {
        method: "POST",
        headers: { [SIGNATURE_HEADER]: signatureOf(body) },
        body,
      }),
    );
  await post("warm up");
  expect(await slowBodies(post)).toEqual([]);
});

it.each(signatures)("verify and %s bodies", { timeout: 120_000 }, async (_, signatureOf) => {
  const both = async (body: string) => {
    const bytes = Buffer.from(body);
    const headers = { [SIGNATURE_HEADER]: signatureOf(body) };
    verifySync(bytes, headers, { secret: SECRET });
    await verify(bytes, headers, { secret: SECRET });
    await verify(bytes, { [SIGNATURE_HEADER]: body }, { secret: SECRET });
    verifySync(bytes, { [SIGNATURE_HEADER]: body, "x-other": body }, { secret: SECRET });
  };
  expect(await slowBodies(both)).toEqual([]);
});

it("the page's search", { timeout: 120_000 }, async () => {
  const search = (body: string) => {
    const lines = readJson(body) ?? new JsonLines(body);
    for (const query of ["a", "\\", "[", body]) findLines(lines, searchPattern(query));
  };
  expect(await slowBodies(search)).toEqual([]);
});

/** Commands that read a file of events, `FILE`. */
const COMMANDS: readonly string[] = [
  `verify FILE --signature ${WRONG}`,
  "sign FILE",
  "replay FILE --url URL",
  "types FILE",
  "fixtures scrub FILE",
  "trigger property.created --data @FILE --url URL",
  "check URL --event FILE --only KIND-01",
];

it.each(COMMANDS)("hookporter %s", { timeout: 300_000 }, async (line) => {
  const cwd = tempFolder();
  const file = join(cwd, "event.json");
  const run = async (body: string) => {
    writeFileSync(file, body);
    const target = await startReceiving({ status: 500, body });
    const words = line.replace("FILE", file).replace("URL", target.url).split(" ");
    await runCli(words, { cwd, env: { HOOKPORTER_SECRET: SECRET } });
    await target.close();
  };
  await run(withData('{"id":"a"}'));
  expect(await slowBodies(run)).toEqual([]);
});

/** Files of a folder that commands read by themselves. */
const FILES: readonly (readonly [string, string, (text: string) => string])[] = [
  [".env", "doctor", (text) => `HOOKPORTER_SECRET=${SECRET}\nA=${text}\n`],
  ["hookporter.config.json", "doctor", (text) => JSON.stringify({ inbox: text })],
  ["hookporter.config.json", "doctor", (text) => text],
  ["package.json", "init --into .", (text) => text],
  ["src/server.js", "init --into . --yes", (text) => `const app = express();\n${text}`],
];

it.each(FILES)("%s, read by hookporter %s", { timeout: 300_000 }, async (path, line, put) => {
  const run = async (body: string) => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, "src"));
    writeFileSync(join(cwd, "package.json"), '{"dependencies":{"express":"^5.0.0"}}\n');
    writeFileSync(join(cwd, path), put(body));
    await runCli(line.split(" "), { cwd });
  };
  await run("A=1");
  expect(await slowBodies(run)).toEqual([]);
});
