import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CAUSES } from "../../../src/signature/diagnose/causes.ts";
import {
  type DiagnoseOptions,
  diagnoseSignature,
} from "../../../src/signature/diagnose/diagnose.ts";
import type { Secret } from "../../../src/signature/secrets.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { long, runs } from "../../long.ts";
import { BODY_MISTAKES } from "./body-mistakes.ts";
import { EVERYDAY_MISTAKES } from "./everyday-mistakes.ts";
import { JSON_MISTAKES, spaced } from "./json-mistakes.ts";
import { KEY_AND_HEADER_MISTAKES } from "./key-and-header-mistakes.ts";
import { anyJson, anySecret, codesOf, diagnosed, digested, KNOWN, signed } from "./made.ts";
import { bytes } from "./mistake.ts";

const numRuns = runs(long(2, 50), 1);

const SECRET = KNOWN;
const codes = codesOf;
const secrets = readSecrets(SECRET);
const MISTAKES = [
  ...JSON_MISTAKES,
  ...BODY_MISTAKES,
  ...KEY_AND_HEADER_MISTAKES,
  ...EVERYDAY_MISTAKES,
];

describe("diagnoseSignature", () => {
  it.each(MISTAKES)("finds %s alone: %s", (code, _, mistake) => {
    fc.assert(
      fc.property(anyJson, anySecret, (json, drawn) => {
        const { body, header, secret = drawn, more } = mistake(json, drawn);
        const diagnosis = diagnoseSignature(
          Buffer.from(body as string),
          header,
          readSecrets(secret),
          more,
        );
        expect(codes(diagnosis)[0]).toEqual([code]);
        expect(diagnosis).toMatchObject({ code, ...CAUSES[code], advice: [] });
      }),
      { numRuns },
    );
  });

  it("does not take a line break after as many bytes as a buffer holds for a body that was cut", () => {
    for (const length of [254, 255, 256, 511, 512, 1023, 1024]) {
      const body = `{"a":"${"x".repeat(length - 8)}"}`;
      expect(body).toHaveLength(length);
      expect(codes(diagnosed(`${body}\n`, body))).toEqual([["newline_at_end"]]);
    }
  });

  it("counts a digest of a few bytes as work, so that a small body is bounded too", () => {
    const rows = Array.from({ length: 40 }, (_, at) => ({ [`key_${at}`]: at / 10 }));
    const diagnose = (work: number) =>
      diagnosed(JSON.stringify(rows), "signed by nobody", { work });
    const whole = diagnose(7e8);
    const bounded = diagnose(4e6);
    expect([whole.complete, bounded.complete]).toEqual([true, false]);
    expect(bounded.tried).toBeLessThanOrEqual(4e6 / 4000 + 1);
    expect(bounded.tried).toBeLessThan(whole.tried);
  });

  it("reads no more than 1000 characters of a header, and takes no digest for cut off that it cuts off itself", () => {
    const found = (before: string) =>
      diagnoseSignature(bytes("{}"), `${before}${signed("{}", SECRET)}`, secrets).code;
    expect(
      ["x".repeat(929), "x".repeat(930), " ".repeat(930), " ".repeat(2000)].map(found),
    ).toEqual(["prefix_missing", "unexplained", "header_extra_text", "header_extra_text"]);
  });

  it("has a mistake for every cause", () => {
    const elsewhere = ["valid", "secret_other", "header_name", "header_missing", "unexplained"];
    const tested = [...new Set<string>(MISTAKES.map(([code]) => code)), ...elsewhere];
    expect(tested.sort()).toEqual(Object.keys(CAUSES).sort());
  });

  it("finds one cause in the body, one in the secret and one in the header together", () => {
    const together = ["json_spacing", "newline_at_end", "secret_quotes", "digest_upper_case"];
    fc.assert(
      fc.property(anyJson, anySecret, (json, secret) => {
        const header = signed(`${json}\n`, `"${secret}"`).toUpperCase();
        const diagnosis = diagnoseSignature(bytes(spaced(2)(json)), header, readSecrets(secret));
        expect(codes(diagnosis)).toContainEqual(together);
      }),
      { numRuns: runs(4, 1) },
    );
  });

  it.each([
    ["Python", '{"n": 1.5, "b": "\\u00e9/<", "a": [1, 2]}', ["json_spacing", "json_escapes"]],
    [
      "Python with sorted keys",
      '{"a": [1, 2], "b": "\\u00e9/<", "n": 1.5}',
      ["json_spacing", "json_key_order", "json_escapes"],
    ],
    ["PHP", '{"n":1.5,"b":"\\u00e9\\/<","a":[1,2]}', ["json_escapes"]],
    ["a Go map", '{"a":[1,2],"b":"é/\\u003c","n":1.5}', ["json_key_order", "json_escapes"]],
    ["Jackson, pretty", '{\n  "n" : 1.5,\n  "b" : "é/<",\n  "a" : [ 1, 2 ]\n}', ["json_spacing"]],
    ["C#", '{"n":1.5,"b":"\\u00E9/\\u003C","a":[1,2]}', ["json_escapes"]],
  ])("names what %s prints differently", (_, printed, causes) => {
    expect(codes(diagnosed('{"n":1.5,"b":"é/<","a":[1,2]}', printed))[0]).toEqual(causes);
  });

  it("explains no random signature, in any format, and says what to try", () => {
    const digest = () => randomBytes(32);
    const anyHeader = fc.constantFrom(
      () => `sha256=${digest().toString("hex")}`,
      () => digest().toString("hex").toUpperCase(),
      () => `sha256=${digest().toString("base64")}`,
      () => `sha1=${digest().toString("hex").slice(0, 40)}`,
      () => `sha256=${digest().toString("hex").slice(0, 16)}`,
      () => `sha512=${Buffer.concat([digest(), digest()]).toString("hex")}`,
    );
    fc.assert(
      fc.property(fc.oneof(anyJson, fc.string()), anySecret, anyHeader, (text, secret, header) => {
        const secrets = readSecrets([secret, "another-secret-0123456789"]);
        const diagnosis = diagnoseSignature(bytes(text), header(), secrets);
        expect(diagnosis).toMatchObject({ code: "unexplained", explanations: [], complete: true });
        expect(diagnosis.advice.join()).toContain(secrets[0]?.fingerprint);
      }),
      { numRuns: runs(25, 6) },
    );
  });

  it("advises first that the body is empty, which no digest can prove", () => {
    const { code, advice } = diagnosed("", "{}{}");
    expect(code).toBe("unexplained");
    expect(advice[0]).toContain("empty here");
  });

  it("advises that the body was cut if its JSON has no end or its length is another", () => {
    const advise = (body: string, length: string) =>
      diagnosed(body, '{"a":"b"}', { headers: { "Content-Length": length } }).advice.join();
    expect(advise('{"a":', "9")).toMatch(/says 9 bytes, but there are 5.*no end/s);
    expect(advise('{"c":1}\n', "8")).not.toMatch(/no end|content-length/);
  });

  it("reads a digest of another hash function among other text", () => {
    const header = `SHA1(body.json)= ${signed("{}", SECRET, "sha1").slice("sha1=".length)}`;
    const causes = ["digest_algorithm", "prefix_missing", "header_extra_text"];
    expect(codes(diagnoseSignature(bytes("{}"), header, secrets))[0]).toEqual(causes);
  });

  it("never throws, whatever the header and the bytes", () => {
    const texts = fc.array(fc.string(), { maxLength: 3 });
    const anyHeader = fc.oneof(fc.string(), fc.string({ unit: "binary" }), texts);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), anyHeader, (body, header) => {
        expect(diagnoseSignature(body, header, secrets).code).not.toBe("valid");
      }),
      { numRuns: runs(60, 20) },
    );
  });

  it("names another secret that is set here, and accepts a valid signature with any of the secrets", () => {
    const [here, there] = readSecrets(["the-new-secret-0123456789", SECRET]) as [Secret, Secret];
    const find = (known: readonly Secret[], more: DiagnoseOptions) =>
      diagnoseSignature(bytes("{}"), signed("{}", SECRET), known, more);
    const others = [{ name: "OLD_SECRET", secret: there }];
    const explanations = [[{ detail: "OLD_SECRET" }]];
    expect(find([here], { others })).toMatchObject({ code: "secret_other", explanations });
    expect(find([here, there], {}).code).toBe("valid");
  });

  it("distinguishes a missing header from one with another name", () => {
    const find = (headers?: Record<string, string>) =>
      diagnoseSignature(bytes("{}"), undefined, secrets, { headers });
    expect(find().code).toBe("header_missing");
    const other = { "x-other": "x", "x-hub-signature-256": signed("{}", SECRET) };
    const explanations = [[{ detail: "x-hub-signature-256" }]];
    expect(find(other)).toMatchObject({ code: "header_name", explanations });
  });

  it("finds a body that was encoded twice, an empty one in NUL bytes, or compressed without bound, and nothing besides", () => {
    expect(codes(diagnosed(JSON.stringify('{"a":1}'), '{"a":1}'))).toEqual([["body_string"]]);
    expect(codes(diagnosed(new Uint8Array(3), ""))).toEqual([["body_empty"]]);
    const zeros = Buffer.alloc(4_000_000);
    expect(diagnosed(gzipSync(zeros), zeros).code).toBe("unexplained");
  });

  it.each([
    ["v0:timestamp:body", { "X-Slack-Request-Timestamp": "1768469400" }, "v0:1768469400:", "v0="],
    ["timestamp.body", { "x-timestamp": "1768469400" }, "1768469400.", "sha256="],
    ["id.timestamp.body", { "webhook-timestamp": "1", "webhook-id": "a" }, "a.1.", "sha256="],
  ])("names %s, which another service signs", (detail, headers, before, prefix) => {
    const header = signed(`${before}{}`, SECRET).replace("sha256=", prefix);
    const { explanations } = diagnoseSignature(bytes("{}"), header, secrets, { headers });
    expect(explanations).toMatchObject([[{ code: "other_scheme", detail }]]);
  });

  it("takes a URL as signed only if it arrived: with its host, or with that of a proxy", () => {
    const find = (more: DiagnoseOptions) =>
      diagnosed('{"c":1}', 'https://hooks.example/webhooks?a=b{"c":1}', more).explanations;
    const target = "/webhooks?a=b";
    const host = "hooks.example";
    const proxied = "127.0.0.1:3000";
    const named = [[{ code: "other_scheme", detail: "the URL and the body" }]];
    for (const headers of [{ host }, { host: proxied, "x-forwarded-host": host }])
      expect(find({ target, headers })).toMatchObject(named);
    const none = [{}, { target }, { headers: { host } }, { target, headers: { host: proxied } }];
    for (const more of none) expect(find(more)).toEqual([]);
  });

  it("names one cause, not two, for a line break at the end of a body of one line", () => {
    const ends = ["", "\n", "\r\n"];
    for (const here of ends) {
      for (const there of ends.filter((end) => end !== here)) {
        const found = codes(diagnosed(`{"a":1}${here}`, `{"a":1}${there}`));
        expect(new Set(found.flat())).toEqual(new Set(["newline_at_end"]));
      }
    }
  });

  it("reveals neither a secret nor a digest nor the body", () => {
    const anyMistake = fc.constantFrom(...MISTAKES);
    fc.assert(
      fc.property(anyJson, anySecret, anyMistake, (json, drawn, [, , mistake]) => {
        const { body, header, secret = drawn, more } = mistake(json, drawn);
        const right = Buffer.from(body as string);
        const told = JSON.stringify(diagnoseSignature(right, header, readSecrets(secret), more));
        const digests = [digested(right, drawn, "hex").slice(0, 8), [header].flat()[0]];
        for (const text of [drawn, "payment.received", digests[0], digests[1]?.slice(7, 20)])
          if (text) expect(told).not.toContain(text);
      }),
      { numRuns: runs(60, 20) },
    );
  });
});
