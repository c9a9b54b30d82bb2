import { createHash, createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished, vi } from "vitest";
import { createContext } from "../../src/cli/context.ts";
import type { Io } from "../../src/cli/io.ts";
import { createProgram } from "../../src/cli/program.ts";
import { leaves } from "../../src/cli/settings/command-tree.ts";
import {
  createReceiver,
  type Delivery,
  type SecretOption,
  SIGNATURE_HEADER,
  sign,
} from "../../src/entries/index.ts";
import { readHeader } from "../../src/signature/header.ts";
import { readSecrets, type Secret } from "../../src/signature/secrets.ts";
import { verify } from "../../src/signature/verify.ts";
import { runCli } from "../cli/fake-io.ts";
import { listening } from "../cli/open-listen.ts";
import { root } from "../docs/markdown.ts";
import { long } from "../long.ts";
import { expectError, openReceiver } from "../receiver/open.ts";
import {
  bytes,
  deliveryOf,
  envelope,
  freshEnvelope,
  keptLog,
  SECRET,
  signedHeaders,
} from "../receiver/sample.ts";
import { dial, type Request, readAll } from "../receiver/wire.ts";
import { caseTitle } from "./catalogue.ts";
import { head, openServer, statuses } from "./open.ts";

const GOOD = bytes(envelope());
const HEX = createHmac("sha256", SECRET).update(GOOD).digest("hex");
const OLD = "the-secret-before-the-rotation-01";
const NEW = "the-secret-after-the-rotation-001";

const withSignature = (value: string | readonly string[]): Request => ({
  body: GOOD,
  headers: { [SIGNATURE_HEADER]: value },
});

/** Sends each; expects 401 with this reason, identical answers, and nothing kept. */
async function expectForged(requests: readonly Request[], reason: string) {
  const opened = await openServer();
  const texts = new Set<string>();
  for (const request of requests) {
    const reply = await opened.ask(request);
    expect([request.headers, reply.status]).toEqual([request.headers, 401]);
    expectError(reply, 401, "unauthorized");
    texts.add(reply.text);
  }
  expect(texts.size).toBe(1);
  expect(opened.reasons()).toEqual(requests.map(() => reason));
  await opened.nothingKept();
  expect(opened.lines).toEqual([]); // no log line either: forgeries must not fill a disk
  return opened;
}

it(caseTitle(1), async () => {
  const { stillServes } = await expectForged(
    [{ body: GOOD }, withSignature(""), withSignature("   "), withSignature("\t")],
    "signature_missing",
  );
  await stillServes();
});

it(caseTitle(2), async () => {
  const prefixes = ["", "SHA256=", "Sha256=", "sha1=", "sha512=", "sha256:", "sha256==", "sha256"];
  await expectForged(
    prefixes.map((prefix) => withSignature(prefix + HEX)),
    "signature_malformed",
  );
});

const WRONG_LENGTHS = [
  `sha256=sha256=${HEX}`,
  "sha256=",
  "sha256=c4faf8",
  ...[HEX.slice(1), `${HEX}0`, HEX + HEX, HEX.slice(0, 33)].map((hex) => `sha256=${hex}`),
  `sha256= ${HEX}`,
  `sha256 =${HEX}`,
  `sha256=${HEX.slice(0, 32)} ${HEX.slice(32)}`,
];

it(caseTitle(3), async () => {
  await expectForged(WRONG_LENGTHS.map(withSignature), "signature_malformed");
});

it(caseTitle(3, "rejected before any key is used"), () => {
  const untouchable = {
    get key(): never {
      throw new Error("a MAC was computed");
    },
  } as unknown as Secret;
  for (const value of WRONG_LENGTHS) {
    expect(verify(GOOD, value, [untouchable])).toEqual({
      ok: false,
      reason: "signature_malformed",
    });
  }
  expect(() => verify(GOOD, `sha256=${HEX}`, [untouchable])).toThrow("a MAC was computed");
});

it(caseTitle(4), async () => {
  // why the text is matched, not the decoded bytes
  expect(Buffer.from(`${HEX}zz`, "hex")).toHaveLength(32);
  const junk = ["zz", "g", "=", ";", ",", "%00", '"', " x", "/../"];
  await expectForged(
    junk.map((tail) => withSignature(`sha256=${HEX}${tail}`)),
    "signature_malformed",
  );
});

it(caseTitle(4, "with line breaks, which an HTTP parser refuses"), async () => {
  const { receiver, entries } = await openReceiver();
  for (const tail of ["\n", "\r\n", "\n\n", "\u2028", "\0"]) {
    const delivery = deliveryOf(GOOD, { [SIGNATURE_HEADER]: `sha256=${HEX}${tail}` });
    expect(await receiver.accept(delivery)).toEqual({
      type: "unauthorized",
      reason: "signature_malformed",
    });
  }
  expect(await entries()).toEqual([]);
});

it(caseTitle(5), async () => {
  const mixed = HEX.replace(/[a-f]/, (letter) => letter.toUpperCase());
  await expectForged(
    [HEX.toUpperCase(), mixed].map((hex) => withSignature(`sha256=${hex}`)),
    "signature_malformed",
  );
});

it(caseTitle(6), async () => {
  const right = `sha256=${HEX}`;
  const wrong = `sha256=${"0".repeat(64)}`;
  const pairs = [
    [right, wrong],
    [wrong, right],
    [right, right],
    ["", right],
  ];
  const joined = [`${right}, ${wrong}`, `${wrong},${right}`, `${right},`];
  await expectForged([...pairs, ...joined].map(withSignature), "signature_malformed");
});

it(caseTitle(7, "an array, also one made by Node"), async () => {
  const { receiver, entries } = await openReceiver();
  for (const value of [[`sha256=${HEX}`], [`sha256=${HEX}`, `sha256=${HEX}`], []]) {
    const outcome = await receiver.accept(deliveryOf(GOOD, { [SIGNATURE_HEADER]: value }));
    const reason = value.length === 0 ? "signature_missing" : "signature_malformed";
    expect(outcome).toEqual({ type: "unauthorized", reason });
  }
  expect(await entries()).toEqual([]);
  const { ask, reasons, nothingKept } = await openServer({ signatureHeader: "Set-Cookie" });
  const reply = await ask({ body: GOOD, headers: { "set-cookie": `sha256=${HEX}` } });
  expectError(reply, 401, "unauthorized");
  expect(reasons()).toEqual(["signature_malformed"]);
  await nothingKept();
});

it(caseTitle(7, "the name in any case, as an own property"), async () => {
  const { receiver, entries } = await openReceiver();
  const signature = `sha256=${HEX}`;
  const inherited = Object.create({ [SIGNATURE_HEADER]: signature });
  const poisoned = JSON.parse(`{"__proto__":{"${SIGNATURE_HEADER}":"${signature}"}}`);
  for (const headers of [inherited, poisoned, Object.assign({}, poisoned)]) {
    const outcome = await receiver.accept(deliveryOf(GOOD, headers));
    expect(outcome).toEqual({ type: "unauthorized", reason: "signature_missing" });
  }
  const twice = { [SIGNATURE_HEADER]: signature, "X-Service-Signature": signature };
  expect(await receiver.accept(deliveryOf(GOOD, twice))).toMatchObject({
    reason: "signature_malformed",
  });
  expect(await entries()).toEqual([]);
  const mixed = deliveryOf(GOOD, { "X-Service-SIGNATURE": signature });
  expect(await receiver.accept(mixed)).toMatchObject({ type: "accepted" });
  expect(readHeader(new Headers({ "X-SERVICE-signature": signature }), SIGNATURE_HEADER)).toBe(
    signature,
  );
});

it(caseTitle(8), async () => {
  const signature = `sha256=${HEX}`;
  const signed = { [SIGNATURE_HEADER]: signature };
  await expectForged(
    [
      { target: `/webhooks?${SIGNATURE_HEADER}=${signature}`, body: GOOD },
      { headers: { trailer: SIGNATURE_HEADER }, trailers: signed, body: GOOD },
      { headers: { cookie: `${SIGNATURE_HEADER}=${signature}` }, body: GOOD },
      { headers: { authorization: signature }, body: GOOD },
      { body: bytes(envelope({ ...signed, signature })) },
    ],
    "signature_missing",
  );
});

it(caseTitle(9), async () => {
  const { post, outcomes, entries } = await openServer({ secret: [NEW, OLD] });
  expect((await post(freshEnvelope(), OLD)).status).toBe(200);
  expect((await post(freshEnvelope(), NEW)).status).toBe(200);
  expect(outcomes()).toMatchObject([
    { secret: { role: "previous" } },
    { secret: { role: "current" } },
  ]);
  expect(await entries()).toHaveLength(2);

  const rotated = await openServer({ secret: NEW });
  expectError(await rotated.post(freshEnvelope(), OLD), 401, "unauthorized");
  expect(rotated.reasons()).toEqual(["signature_mismatch"]);
  await rotated.nothingKept();
});

it(caseTitle(10), async () => {
  const pretty = bytes(JSON.stringify(envelope(), null, 2));
  const marker = "tenant-name-that-must-not-be-logged";
  const sent = [
    { signed: GOOD, body: pretty }, // parsed and serialized again on the way
    { signed: pretty, body: bytes(pretty.toString().replaceAll("\n", "\r\n")) },
    { signed: pretty, body: bytes(`${pretty}\n`) },
    { signed: GOOD, body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), GOOD]) },
    { signed: bytes(`{"é":1}`), body: bytes(`{"\\u00e9":1}`) },
    { signed: GOOD, body: bytes(envelope({ data: { marker } })) },
  ];
  const { lines, outcomes } = await expectForged(
    sent.map(({ signed, body }) => ({ body, headers: signedHeaders(signed) })),
    "signature_mismatch",
  );
  expect(JSON.stringify([lines, outcomes()])).not.toContain(marker);
});

it(caseTitle(11, "one bit"), async () => {
  const { receiver, entries } = await openReceiver();
  const signature = `sha256=${HEX}`;
  const digest = Buffer.from(HEX, "hex");
  const flip = (whole: Buffer, bit: number) => {
    const flipped = Buffer.from(whole);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return flipped;
  };
  const forged: Delivery[] = [];
  for (let bit = 0; bit < GOOD.length * 8; bit++) {
    forged.push(deliveryOf(flip(GOOD, bit), { [SIGNATURE_HEADER]: signature }));
  }
  for (let bit = 0; bit < 256; bit++) {
    forged.push(
      deliveryOf(GOOD, { [SIGNATURE_HEADER]: `sha256=${flip(digest, bit).toString("hex")}` }),
    );
  }
  for (const delivery of forged) {
    expect(await receiver.accept(delivery)).toEqual({
      type: "unauthorized",
      reason: "signature_mismatch",
    });
  }
  expect(forged.length).toBeGreaterThan(1500);
  expect(await entries()).toEqual([]);
});

it(caseTitle(11, "an empty body, signed"), async () => {
  const { ask, onlyDeadLetter, nothingKept, reasons } = await openServer();
  const empty = Buffer.alloc(0);
  expectError(await ask({ body: empty }), 401, "unauthorized");
  expectError(await ask({ body: empty, headers: signedHeaders(empty, OLD) }), 401, "unauthorized");
  await nothingKept();
  expectError(await ask({ body: empty, headers: signedHeaders(empty) }), 400, "invalid_request");
  expect(reasons()).toEqual(["signature_missing", "signature_mismatch", "empty_body"]);
  await onlyDeadLetter("empty_body", empty);
});

it(caseTitle(12), async () => {
  const { raw, nothingKept, stillServes, outcomes } = await openServer();
  const own = { ...signedHeaders(GOOD), "content-length": GOOD.length };
  const many = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [`x-padding-${n}`, "p".repeat(40)]),
  );
  for (const headers of [
    { [SIGNATURE_HEADER]: `sha256=${"a".repeat(16 * 1024)}` },
    { ...own, "x-padding": "p".repeat(20 * 1024) },
    { ...own, ...many },
  ]) {
    const answer = await raw(head(headers)); // resolves once the connection is closed
    expect(statuses(answer)).toEqual([431]);
  }
  expect(outcomes()).toEqual([]);
  await nothingKept();
  await stillServes();
});

it(caseTitle(13), async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { receiver, lines, seen, entries } = await openReceiver();
  const forge = async (count: number, seed: number) => {
    const types = new Set<string>();
    for (let n = 0; n < count; n++) {
      const hex = createHash("sha256").update(`${seed} ${n}`).digest("hex");
      const headers = {
        [SIGNATURE_HEADER]: `sha256=${hex}`,
        "x-forwarded-for": `10.0.${n >> 8}.${n & 255}`,
      };
      const outcome = await receiver.accept({ ...deliveryOf(GOOD, headers), receivedAt: n });
      types.add(outcome.type === "unauthorized" ? outcome.reason : outcome.type);
    }
    return [...types];
  };
  await forge(2000, 1); // warm up: code compiled, buffers grown
  collect();
  const before = process.memoryUsage().heapUsed;
  expect(await forge(long(20_000, 1_000_000), 2)).toEqual(["signature_mismatch"]);
  collect();
  // Less than 50 bytes per request in a short run: nothing is kept per request or address.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(1024 * 1024);
  expect(await entries()).toEqual([]);
  expect([lines, seen]).toEqual([[], []]);
}, 300_000);

it(caseTitle(14), async () => {
  const { raw, reasons, nothingKept, stillServes } = await openServer();
  for (const letters of ["é".repeat(64), `${HEX.slice(0, 63)}é`, `${HEX.slice(1)}\u00a0`]) {
    const own = { [SIGNATURE_HEADER]: `sha256=${letters}`, "content-length": GOOD.length };
    const latin1 = Buffer.from(head({ ...own, connection: "close" }), "latin1");
    expect(statuses(await raw(latin1, GOOD))).toEqual([401]);
  }
  expect(reasons()).toEqual(["signature_malformed", "signature_malformed", "signature_malformed"]);
  await nothingKept();
  await stillServes();
});

it(caseTitle(15), async () => {
  const digest = Buffer.from(HEX, "hex");
  const differing = [0, 15, 31].map((at) => {
    const other = Buffer.from(digest);
    other[at] = (other[at] ?? 0) ^ 0xff;
    return withSignature(`sha256=${other.toString("hex")}`);
  });
  await expectForged(differing, "signature_mismatch");
});

it(caseTitle(15, "with timingSafeEqual, never with crypto.subtle"), () => {
  const source = join(root, "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const texts = new Map(files.map((name) => [name, readFileSync(join(source, name), "utf8")]));
  // What runs outside Node has no timingSafeEqual; there `subtle.verify` compares.
  const subtle = [...texts].filter(([, text]) => /\bsubtle\b/.test(text)).map(([name]) => name);
  const outside = [
    join("adapters", "web", "verify.ts"),
    join("inspector", "ui", "session", "server-proof.ts"),
  ];
  expect(subtle.sort()).toEqual(outside);
  for (const name of outside)
    expect(texts.get(name)).toMatch(/subtle(?:\(\))?\.verify\(\s*"HMAC",/);
  const verifier = texts.get(join("signature", "verify.ts")) ?? "";
  expect(verifier).toContain("timingSafeEqual(given, expected)");
  expect(verifier).not.toMatch(/===? *expected|expected *===?|\.equals\(|\.compare\(/);
});

it(caseTitle(16, "a secret that throws"), async () => {
  let secret: () => string = () => SECRET;
  const { post, lines, nothingKept, stillServes } = await openServer({ secret: () => secret() });
  const broken: (() => never | string)[] = [
    () => {
      throw new Error("vault sealed: token 1234");
    },
    () => {
      throw undefined;
    },
    () => "",
    () => 5 as unknown as string,
    () => undefined as unknown as string,
  ];
  for (const gives of broken) {
    secret = gives;
    const reply = await post(envelope());
    expectError(reply, 500, "server_error");
    expect(reply.text).not.toContain("vault");
  }
  expect(lines.map(({ level }) => level)).toEqual(broken.map(() => "error"));
  await nothingKept();
  secret = () => SECRET;
  await stillServes();
});

it(caseTitle(16, "odd header values"), async () => {
  const { receiver, entries } = await openReceiver();
  const listed = [[null], [[`sha256=${HEX}`]]];
  for (const value of [5, null, true, {}, Symbol("x"), () => `sha256=${HEX}`, ...listed]) {
    const headers = { [SIGNATURE_HEADER]: value } as unknown as Delivery["headers"];
    const outcome = await receiver.accept(deliveryOf(GOOD, headers));
    expect(outcome).toMatchObject({ type: "unauthorized" });
  }
  expect(await entries()).toEqual([]);
});

it(caseTitle(17), async () => {
  const { post, ask, outcomes, entries } = await openServer();
  await post(envelope());
  await ask({ body: GOOD, headers: { "content-type": "application/json", "x-attempt": "2" } });
  await ask({ body: GOOD, headers: signedHeaders(GOOD, OLD) });
  // Observers can count unsigned and forged deliveries separately.
  expect(outcomes().slice(1)).toEqual([
    { type: "unauthorized", reason: "signature_missing" },
    { type: "unauthorized", reason: "signature_mismatch" },
  ]);
  expect(await entries()).toMatchObject([{ duplicates: 0 }]);
});

it(caseTitle(18, "no secret"), () => {
  const create = (secret: unknown) => () =>
    createReceiver({ secret: secret as SecretOption, inbox: "memory:", log: keptLog().log });
  const refused = (code: string) => expect.objectContaining({ name: "ConfigurationError", code });
  for (const secret of ["", "   ", "\n"]) expect(create(secret)).toThrow(refused("secret_empty"));
  for (const secret of [undefined, null, [], 5])
    expect(create(secret)).toThrow(refused("secret_missing"));
});

it(caseTitle(18, "a weak secret"), async () => {
  for (const secret of ["changeme", "secret", "fifteen-bytes..", `${SECRET}\n`, `${SECRET}\r\n`]) {
    const { log, lines } = keptLog();
    createReceiver({ secret, inbox: "memory:", log });
    expect([secret, lines.map(({ level }) => level)]).toEqual([secret, ["warn"]]);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  }
  const { post } = await openServer({ secret: `${SECRET}\n` });
  expect((await post(envelope())).status).toBe(200); // signed with the secret without the newline
});

it(caseTitle(19), async () => {
  let secrets: readonly string[] = [OLD];
  const secret = vi.fn(() => secrets);
  const { url, reasons, outcomes, entries, lines } = await openServer({ secret });
  /** A request signed with the old secret, whose second half arrives after the rotation. */
  const across = async (rotated: readonly string[]) => {
    secrets = [OLD];
    const body = bytes(freshEnvelope());
    const socket = await dial(url);
    const own = { ...signedHeaders(body, OLD), "content-length": body.length, connection: "close" };
    socket.write(head(own));
    socket.write(body.subarray(0, 20));
    await new Promise((resolve) => setTimeout(resolve, 20));
    secrets = rotated;
    socket.write(body.subarray(20));
    return statuses((await readAll(socket)).toString("latin1"));
  };
  expect(await across([NEW, OLD])).toEqual([200]);
  expect(await across([NEW])).toEqual([401]);
  // once per request, so no request is checked against two sets
  expect(secret).toHaveBeenCalledTimes(2);
  expect(outcomes()[0]).toMatchObject({ secret: { role: "previous" } });
  expect(reasons()).toEqual(["accepted", "signature_mismatch"]);
  expect(await entries()).toHaveLength(1);
  expect(lines).toEqual([]);
});

it(caseTitle(19, "a list modified afterwards"), async () => {
  const given = [OLD];
  const { post } = await openServer({ secret: given });
  given[0] = NEW;
  expect((await post(freshEnvelope(), NEW)).status).toBe(401);
  expect((await post(freshEnvelope(), OLD)).status).toBe(200);
});

it(caseTitle(20), async () => {
  for (const list of [
    [NEW, ""],
    ["", NEW],
    [NEW, " \n"],
  ]) {
    const make = () => createReceiver({ secret: list, inbox: "memory:", log: keptLog().log });
    expect(make).toThrow(
      expect.objectContaining({ name: "ConfigurationError", code: "secret_empty" }),
    );
    const { post, nothingKept } = await openServer({ secret: () => list });
    expect((await post(freshEnvelope(), "")).status).toBe(500);
    expect((await post(freshEnvelope(), NEW)).status).toBe(500);
    await nothingKept();
  }
});

const OFF = /insecure|skip|verif|unsafe|disable|trust|no-?sign|allow|dev-?mode|strict/i;

it(caseTitle(21, "the library"), async () => {
  const page = readFileSync(join(root, "src/receiver/options/receiver-options.ts"), "utf8");
  const names = [...page.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((match) => match[1] ?? "");
  expect(names).toContain("signatureHeader");
  expect(names.filter((name) => OFF.test(name) && name !== "unverifiedLimit")).toEqual([]);
  const on = ["skipSignature", "skipVerify", "insecure", "insecureSkipSignature", "dev", "unsafe"];
  const off = ["verify", "verifySignature", "signature", "signatureRequired"];
  for (const name of [...on, ...off]) {
    const option = { [name]: on.includes(name) };
    const make = () => createReceiver({ secret: SECRET, inbox: "memory:", ...option });
    expect(make).toThrow(
      expect.objectContaining({ name: "ConfigurationError", code: "option_invalid" }),
    );
  }
  vi.stubEnv("NODE_ENV", "development").stubEnv("HOOKPORTER_INSECURE_SKIP_SIGNATURE", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { ask, nothingKept } = await openServer();
  for (const request of [{ body: GOOD }, withSignature(`sha256=${"0".repeat(64)}`)])
    expect((await ask(request)).status).toBe(401);
  await nothingKept();
});

it(caseTitle(21, "the command line"), async () => {
  const program = createProgram(createContext({ isTTY: {}, env: {} } as Io));
  // These receive nothing: a flag of `check` skips its own cases, one of `doctor` is about targets,
  // `types --strict` is about formats of fields, and `mcp --allow` about what a coding agent may
  // send.
  const SENDERS = ["check", "doctor", "types", "mcp"];
  const receiving = leaves(program).filter((command) => !SENDERS.includes(command.name()));
  const flags = receiving.flatMap((command) => {
    // These two send: `--no-signature` omits the signature, to see the receiver refuse it.
    const sends = ["trigger", "replay"].includes(command.name());
    const own = command.options.map(({ long: flag }) => flag ?? "");
    // This one is about the certificates of targets; signatures are checked all the same, see
    // below.
    if (command.name() === "listen") return own.filter((flag) => flag !== "--insecure");
    return sends ? own.filter((flag) => flag !== "--no-signature") : own;
  });
  expect(flags).toContain("--signature-header");
  expect(flags.filter((flag) => OFF.test(flag))).toEqual([]);
  const skipping = ["--insecure-skip-signature", "--skip-verify", "--no-verify"];
  for (const flag of [...skipping, "--insecure", "--no-signature"])
    expect((await runCli(["listen", flag, "--port", "0"])).code).toBe(2);
  const { url, cwd } = await listening(["--insecure", "--forward-to", "https://127.0.0.1:1"]);
  const unsigned = await runCli(
    ["trigger", "lead.created", "--no-signature", "--url", url, "--json"],
    {
      cwd,
    },
  );
  expect(unsigned.records).toMatchObject([{ status: 401 }]);
});

it(caseTitle(22), async () => {
  const empty = [new Uint8Array(0), Buffer.alloc(0), Buffer.from("  \n"), [NEW, new Uint8Array(0)]];
  for (const secret of empty) {
    expect(() => readSecrets(secret as SecretOption as string)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", code: "secret_empty" }),
    );
    const make = () =>
      createReceiver({ secret: secret as SecretOption, inbox: "memory:", log: keptLog().log });
    expect(make).toThrow(expect.objectContaining({ code: "secret_empty" }));
  }
  // A signature made with an empty key is never valid.
  const { ask, reasons, nothingKept } = await openServer();
  const reply = await ask({ body: GOOD, headers: { [SIGNATURE_HEADER]: sign(GOOD, "") } });
  expectError(reply, 401, "unauthorized");
  expect(reasons()).toEqual(["signature_mismatch"]);
  await nothingKept();
});
