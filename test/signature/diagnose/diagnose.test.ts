import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnosis } from "../../../src/entries/testing.ts";
import { CAUSES } from "../../../src/signature/diagnose/causes.ts";
import {
  type DiagnoseOptions,
  diagnoseSignature,
} from "../../../src/signature/diagnose/diagnose.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { long, runs } from "../../long.ts";
import { BODY_MISTAKES } from "./body-mistakes.ts";
import { JSON_MISTAKES, spaced } from "./json-mistakes.ts";
import { KEY_AND_HEADER_MISTAKES } from "./key-and-header-mistakes.ts";
import { anyJson, anySecret, digested, signed } from "./made.ts";
import { bytes } from "./mistake.ts";

const codes = ({ explanations }: Diagnosis) =>
  explanations.map((causes) => causes.map(({ code }) => code));
const numRuns = runs(long(2, 50), 1);
const SECRET = "a secret of some length";
const MISTAKES = [...JSON_MISTAKES, ...BODY_MISTAKES, ...KEY_AND_HEADER_MISTAKES];

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

  it.each([254, 255, 256, 511, 512, 1023, 1024])(
    "does not take a line break after %i bytes, which is as many as a buffer holds, for a body that was cut",
    (length) => {
      const body = `{"a":"${"x".repeat(length - 8)}"}`;
      expect(body).toHaveLength(length);
      const diagnosis = diagnoseSignature(
        Buffer.from(`${body}\n`),
        signed(body, "a secret of some length"),
        readSecrets("a secret of some length"),
      );
      expect(codes(diagnosis)).toEqual([["newline_at_end"]]);
    },
  );

  it("counts a digest of a few bytes as work, so that a small body is bounded too", () => {
    const body = JSON.stringify(
      Array.from({ length: 40 }, (_, at) => ({ [`key_${at}`]: at / 10 })),
    );
    const diagnose = (work: number) =>
      diagnoseSignature(Buffer.from(body), `sha256=${"0".repeat(64)}`, readSecrets(SECRET), {
        work,
      });
    const whole = diagnose(7e8);
    const bounded = diagnose(4e6);
    expect([whole.complete, bounded.complete]).toEqual([true, false]);
    expect(bounded.tried).toBeLessThanOrEqual(4e6 / 4000 + 1);
    expect(bounded.tried).toBeLessThan(whole.tried);
  });

  it("reads no more than 1000 characters of a header, and takes no digest for cut off that it cuts off itself", () => {
    const found = (before: string) =>
      diagnoseSignature(Buffer.from("{}"), `${before}${signed("{}", SECRET)}`, readSecrets(SECRET))
        .code;
    expect([found("x".repeat(929)), found("x".repeat(930))]).toEqual([
      "prefix_missing",
      "unexplained",
    ]);
    expect([found(" ".repeat(930)), found(" ".repeat(2000))]).toEqual([
      "header_extra_text",
      "header_extra_text",
    ]);
  });

  it("has a mistake for every cause", () => {
    const elsewhere = ["valid", "secret_other", "header_name", "header_missing", "unexplained"];
    const tested = [...new Set<string>(MISTAKES.map(([code]) => code)), ...elsewhere];
    expect(tested.sort()).toEqual(Object.keys(CAUSES).sort());
  });

  it("finds one cause in the body, one in the secret and one in the header together", () => {
    fc.assert(
      fc.property(anyJson, anySecret, (json, secret) => {
        const body = bytes(spaced(2)(json));
        const header = signed(`${json}\n`, `"${secret}"`).toUpperCase();
        const found = codes(diagnoseSignature(body, header, readSecrets(secret)));
        expect(found).toContainEqual([
          "json_spacing",
          "newline_at_end",
          "secret_quotes",
          "digest_upper_case",
        ]);
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
    const secret = "a-secret-0123456789";
    const body = bytes('{"n":1.5,"b":"é/<","a":[1,2]}');
    expect(codes(diagnoseSignature(body, signed(printed, secret), readSecrets(secret)))[0]).toEqual(
      causes,
    );
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
    const secrets = readSecrets("a-secret-0123456789");
    const { code, advice } = diagnoseSignature(
      bytes(""),
      signed("{}{}", "a-secret-0123456789"),
      secrets,
    );
    expect(code).toBe("unexplained");
    expect(advice[0]).toContain("empty here");
  });

  it("advises that the body was cut if its JSON has no end or its length is another", () => {
    const secrets = readSecrets("a-secret-0123456789");
    const header = signed('{"a":"b"}', "a-secret-0123456789");
    const advise = (body: string, length: string) =>
      diagnoseSignature(bytes(body), header, secrets, { headers: { "Content-Length": length } })
        .advice;
    expect(advise('{"a":', "9")).toEqual(
      expect.arrayContaining([
        expect.stringContaining("says 9 bytes, but there are 5"),
        expect.stringContaining("no end"),
      ]),
    );
    expect(advise('{"c":1}\n', "8").join()).not.toMatch(/no end|content-length/);
  });

  it("reads a digest of another hash function among other text", () => {
    const header = `SHA1(body.json)= ${signed("{}", "a-secret-0123456789", "sha1").slice("sha1=".length)}`;
    const diagnosis = diagnoseSignature(bytes("{}"), header, readSecrets("a-secret-0123456789"));
    expect(codes(diagnosis)[0]).toEqual([
      "digest_algorithm",
      "prefix_missing",
      "header_extra_text",
    ]);
  });

  it("never throws, whatever the header and the bytes", () => {
    const anyHeader = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.array(fc.string(), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), anyHeader, (body, header) => {
        expect(diagnoseSignature(body, header, readSecrets("a-secret-0123456789")).code).not.toBe(
          "valid",
        );
      }),
      { numRuns: runs(60, 20) },
    );
  });

  it("names another secret that is set here", () => {
    const others = readSecrets("the-old-secret-0123456789").map((secret) => ({
      name: "OLD_SECRET",
      secret,
    }));
    const secrets = readSecrets("the-new-secret-0123456789");
    const diagnosis = diagnoseSignature(
      bytes("{}"),
      signed("{}", "the-old-secret-0123456789"),
      secrets,
      {
        others,
      },
    );
    expect(diagnosis).toMatchObject({
      code: "secret_other",
      explanations: [[{ detail: "OLD_SECRET" }]],
    });
  });

  it("distinguishes a missing header from one with another name", () => {
    const secrets = readSecrets("a-secret-0123456789");
    const headers = { "x-other": "x", "x-hub-signature-256": signed("{}", "a-secret-0123456789") };
    expect(diagnoseSignature(bytes("{}"), undefined, secrets).code).toBe("header_missing");
    expect(diagnoseSignature(bytes("{}"), undefined, secrets, { headers })).toMatchObject({
      code: "header_name",
      explanations: [[{ detail: "x-hub-signature-256" }]],
    });
  });

  it("finds a body that was encoded twice, and nothing besides", () => {
    const here = JSON.stringify('{"a":1}');
    expect(
      codes(diagnoseSignature(bytes(here), signed('{"a":1}', SECRET), readSecrets(SECRET))),
    ).toEqual([["body_string"]]);
  });

  it.each([
    ["v0:timestamp:body", { "X-Slack-Request-Timestamp": "1768469400" }, "v0:1768469400:", "v0="],
    ["timestamp.body", { "x-timestamp": "1768469400" }, "1768469400.", "sha256="],
    [
      "id.timestamp.body",
      { "webhook-timestamp": "17", "webhook-id": "wh_1" },
      "wh_1.17.",
      "sha256=",
    ],
  ])("names %s, which another service signs", (detail, headers, before, prefix) => {
    const secret = "a-secret-0123456789";
    const header = signed(`${before}{}`, secret).replace("sha256=", prefix);
    const { explanations } = diagnoseSignature(bytes("{}"), header, readSecrets(secret), {
      headers,
    });
    expect(explanations).toMatchObject([[{ code: "other_scheme", detail }]]);
  });

  it("takes a URL as signed only if it arrived: with its host, or with that of a proxy", () => {
    const secrets = readSecrets(SECRET);
    const header = signed('https://hooks.example/webhooks?a=b{"c":1}', SECRET);
    const find = (more: DiagnoseOptions) =>
      diagnoseSignature(bytes('{"c":1}'), header, secrets, more).explanations;
    const target = "/webhooks?a=b";
    const host = "hooks.example";
    const proxied = "127.0.0.1:3000";
    const named = [[{ code: "other_scheme", detail: "the URL and the body" }]];
    expect(find({ target, headers: { host } })).toMatchObject(named);
    expect(find({ target, headers: { host: proxied, "x-forwarded-host": host } })).toMatchObject(
      named,
    );
    for (const more of [
      {},
      { target },
      { headers: { host } },
      { target, headers: { host: proxied } },
    ])
      expect(find(more)).toEqual([]);
  });

  it("names the NUL bytes of a body that was empty as an empty body", () => {
    const found = diagnoseSignature(new Uint8Array(3), signed("", SECRET), readSecrets(SECRET));
    expect(codes(found)).toEqual([["body_empty"]]);
  });

  it("accepts a valid signature with any of the secrets", () => {
    const secrets = readSecrets(["a-secret-0123456789", "b-secret-0123456789"]);
    expect(diagnoseSignature(bytes("{}"), signed("{}", "b-secret-0123456789"), secrets).code).toBe(
      "valid",
    );
  });

  it("names one cause, not two, for a line break at the end of a body of one line", () => {
    const secrets = readSecrets("a-secret-0123456789");
    const ends = ["", "\n", "\r\n"];
    for (const here of ends) {
      for (const there of ends.filter((end) => end !== here)) {
        const header = signed(`{"a":1}${there}`, "a-secret-0123456789");
        const found = codes(diagnoseSignature(bytes(`{"a":1}${here}`), header, secrets));
        expect(new Set(found.flat())).toEqual(new Set(["newline_at_end"]));
      }
    }
  });

  it("does not expand a small compressed body without bound", () => {
    const bomb = gzipSync(Buffer.alloc(4_000_000));
    const header = signed(Buffer.alloc(4_000_000), "a-secret-0123456789");
    expect(diagnoseSignature(bomb, header, readSecrets("a-secret-0123456789")).code).toBe(
      "unexplained",
    );
  });

  it("lists every explanation if there are several", () => {
    const secrets = readSecrets("a-secret-0123456789");
    const found = codes(
      diagnoseSignature(bytes("{ }"), signed("{}", "a-secret-0123456789"), secrets),
    );
    expect(found).toEqual(expect.arrayContaining([["json_spacing"], ["body_placeholder"]]));
  });

  it("reveals neither a secret nor a digest nor the body", () => {
    fc.assert(
      fc.property(
        anyJson,
        anySecret,
        fc.constantFrom(...MISTAKES),
        (json, drawn, [, , mistake]) => {
          const { body, header, secret = drawn, more } = mistake(json, drawn);
          const right = Buffer.from(body as string);
          const told = JSON.stringify(diagnoseSignature(right, header, readSecrets(secret), more));
          const hidden = [
            drawn,
            digested(right, drawn, "hex").slice(0, 8),
            "payment.received",
            [header].flat()[0]?.slice(7, 20),
          ];
          for (const text of hidden) if (text) expect(told).not.toContain(text);
        },
      ),
      { numRuns: runs(60, 20) },
    );
  });
});
