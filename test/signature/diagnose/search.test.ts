import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Cause } from "../../../src/entries/testing.ts";
import { READING_WORK } from "../../../src/signature/diagnose/budget.ts";
import { cause } from "../../../src/signature/diagnose/causes.ts";
import type { DigestForm } from "../../../src/signature/diagnose/digest-form.ts";
import type { Keying } from "../../../src/signature/diagnose/keyings.ts";
import { type Searched, search } from "../../../src/signature/diagnose/search.ts";
import { codesOf } from "./made.ts";

/** Stands for a digest: the text itself, so that a test can read what was tried. */
const hexOf = (text: string | Uint8Array) => createHmac("sha256", "a").update(text).digest("hex");
const formOf = (text: string | Uint8Array, ...causes: readonly Cause[]): DigestForm => {
  return { algorithm: "sha256", hex: hexOf(text), causes };
};

/** A way to sign that remembers the bodies it was given. */
function recording(...causes: readonly Cause[]): Keying & { readonly bodies: string[] } {
  const bodies: string[] = [];
  const digest: Keying["digest"] = (_, body) => {
    bodies.push(Buffer.from(body).toString());
    return hexOf(body);
  };
  return { bodies, causes, digest };
}

function searched(body: string, signed: string, more: Partial<Searched> = {}) {
  return search({
    body: Buffer.from(body),
    forms: [formOf(signed)],
    plain: [recording()],
    mistaken: [],
    work: 7e8,
    ...more,
  });
}

const codes = codesOf;
const NONE = "signed by nobody";
const SECRET = cause("secret_quotes");

describe("search", () => {
  it("tries mistakes in the secret with the body as it is, before any other body", () => {
    const plain = recording();
    const mistaken = recording(SECRET);
    const found = searched('{"a":1}', '{"a":1}', {
      plain: [{ ...plain, digest: () => "" }],
      mistaken: [mistaken],
    });
    expect(codes(found)).toEqual([["secret_quotes"]]);
    expect(found).toMatchObject({ tried: 2, complete: true });
    expect(mistaken.bodies).toEqual(['{"a":1}']);
  });

  it("tries other ends in NUL bytes and other services' schemes before it reads the body", () => {
    const plain = recording();
    const more = { plain: [plain], headers: { "x-timestamp": "17" } };
    expect(codes(searched('{"a":1}', '17.{"a":1}', more))).toEqual([["other_scheme"]]);
    expect(plain.bodies).toContain('{"a":1}\0');
    expect(plain.bodies).not.toContain("");
  });

  it("counts the work of a digest and of each byte, and stops when it is used up", () => {
    const mistaken = Array.from({ length: 9 }, () => recording(SECRET));
    const tried = (work: number) => {
      const { tried: count, complete } = searched("{}", NONE, { mistaken, work });
      return [count, complete];
    };
    expect([tried(0), tried(3 * 4002 - 1), tried(3 * 4002)]).toEqual([
      [1, false],
      [3, false],
      [4, false],
    ]);
  });

  it("counts the work of each hash function", () => {
    const forms = [
      formOf(NONE),
      { ...formOf(NONE), algorithm: "sha1" as const },
      formOf(`${NONE}, too`),
    ];
    expect(searched("{}", NONE, { forms, work: 0 })).toMatchObject({ tried: 2, complete: false });
  });

  it("compares a digest only with those of its hash function", () => {
    const forms = [{ ...formOf("{}"), algorithm: "sha1" as const }, formOf(NONE)];
    const digest: Keying["digest"] = (algorithm, body) =>
      algorithm === "sha256" ? hexOf(body) : "";
    expect(searched("{}", NONE, { forms, plain: [{ causes: [], digest }] }).explanations).toEqual(
      [],
    );
  });

  it("reads a body only if that leaves work, and tries a larger one empty and with other ends alone", () => {
    const body = JSON.stringify({ a: "x".repeat(10_000) });
    const bodies = (work: number) => {
      const plain = recording();
      const { complete } = searched(body, NONE, { plain: [plain], work });
      expect(complete).toBe(false);
      return new Set(plain.bodies);
    };
    const large = bodies(READING_WORK * body.length - 1);
    const kept = [body, "", `${body}\n`, `${body}\r\n`, `\uFEFF${body}`];
    expect(kept.filter((text) => !large.has(text))).toEqual([]);
    expect(large.has(JSON.stringify(body))).toBe(false);
    expect(bodies(READING_WORK * body.length).has(JSON.stringify(body))).toBe(true);
  });

  it("tries a large body that is not UTF-8 unchanged and empty", () => {
    const body = Buffer.alloc(10_000, 0xff);
    const plain = recording();
    search({
      body,
      forms: [formOf(NONE)],
      plain: [plain],
      mistaken: [],
      work: READING_WORK * 9999,
    });
    expect(plain.bodies.at(-1)).toBe("");
  });

  it("counts four for each byte of another body, and is complete if the work suffices", () => {
    const sizes: number[] = [];
    const digest: Keying["digest"] = (_, body) => {
      sizes.push(body.byteLength);
      return "";
    };
    // NUL bytes alone, which have no other ends in NUL bytes.
    const complete = (work: number) =>
      searched("\0\0\0\0", NONE, { plain: [{ causes: [], digest }], work }).complete;
    expect(complete(7e8)).toBe(true);
    const [own = 0, ...others] = sizes.splice(0);
    // Made once with the secret, and once with mistakes in it, of which there are none here.
    const used = others.reduce((sum, size) => sum + 4000 + size + 2 * 4 * size, 4000 + own);
    expect([complete(used), complete(used - 1000)]).toEqual([true, false]);
  });

  it("counts 25 for each byte of JSON that is printed again", () => {
    const body = JSON.stringify(["x".repeat(2000), 1.5, "é<>/"]);
    const tried = (work: number) => searched(body, NONE, { work }).tried;
    // At least 4000 and 26 for each of 2000 bytes; with 4 for each, it would be 14 000.
    expect(1e7 / (tried(12e6) - tried(2e6))).toBeGreaterThan(50_000);
  });

  it("tries a body with three causes with the secret alone, and one with two with mistakes in it, too", () => {
    const body = '{"b":1,"a":"é"}';
    const three = '{"a": "\\u00e9", "b": 1}';
    const two = '{"a": "é", "b": 1}';
    const plain = recording();
    const mistaken = recording(SECRET);
    searched(body, NONE, { plain: [plain], mistaken: [mistaken] });
    expect(plain.bodies).toEqual(expect.arrayContaining([two, three]));
    expect(mistaken.bodies).toContain(two);
    expect(mistaken.bodies).not.toContain(three);
  });

  it("tries no mistake in the secret with other bodies if one of them explains the signature", () => {
    const mistaken = recording(SECRET);
    expect(codes(searched('{"a":1}', '{"a": 1}', { mistaken: [mistaken] }))[0]).toEqual([
      "json_spacing",
    ]);
    expect(mistaken.bodies).toEqual(['{"a":1}']);
  });

  it("tries no body with more causes than one that explains the signature", () => {
    const plain = recording();
    searched('{"b":"é","a":1}', '{"a":1,"b":"é"}', { plain: [plain] });
    expect(plain.bodies).not.toContain('{"a": 1, "b": "é"}');
  });

  it("tries bytes that a decoder lost last, and only if nothing else explains the signature", () => {
    const lost = Buffer.from([0x22, 0xe9, 0x22]);
    const find = (signed: string | Uint8Array) => {
      const plain = recording();
      const found = searched('"\uFFFD"', "", { forms: [formOf(signed)], plain: [plain] });
      return [codes(found)[0], plain.bodies.length];
    };
    const [[named, all], [other, fewer]] = [find(lost), find('"\uFFFD"\n')] as [
      [unknown, number],
      [unknown, number],
    ];
    expect([named, other]).toEqual([["undecodable"], ["newline_at_end"]]);
    expect(all - fewer).toBeGreaterThanOrEqual(128);
  });

  it("lists each other secret that explains the signature, once", () => {
    const named = (name: string) => recording(cause("secret_other", name));
    const found = searched("{}", "{}", { plain: [named("OLD"), named("OLD"), named("OLDER")] });
    expect(found.explanations).toMatchObject([[{ detail: "OLD" }], [{ detail: "OLDER" }]]);
  });

  it("leaves out an explanation that has the causes of another one and more", () => {
    const forms = [
      formOf("{}", cause("digest_upper_case"), cause("prefix_missing")),
      formOf("{}", cause("prefix_missing")),
    ];
    expect(codes(searched("{}", "{}", { forms }))).toEqual([["prefix_missing"]]);
    const apart = [formOf("{}", cause("digest_upper_case")), formOf("{}", cause("prefix_missing"))];
    expect(codes(searched("{}", "{}", { forms: apart }))).toEqual([
      ["digest_upper_case"],
      ["prefix_missing"],
    ]);
  });

  it("names no prefix of ours besides another service's scheme", () => {
    const causes = [cause("prefix_wrong"), cause("digest_upper_case")];
    const forms = [formOf("17.{}", ...causes)];
    expect(codes(searched("{}", "", { forms, headers: { "x-timestamp": "17" } }))).toEqual([
      ["other_scheme", "digest_upper_case"],
    ]);
    expect(codes(searched("{}", "", { forms: [formOf("{}\n", ...causes)] }))).toEqual([
      ["newline_at_end", "prefix_wrong", "digest_upper_case"],
    ]);
  });

  it("prefers line breaks and a byte order mark to another style of JSON, but names both apart from that", () => {
    expect(codes(searched('\uFEFF{\r\n  "a": 1\r\n}', '{\n  "a": 1\n}'))).toEqual([
      ["byte_order_mark", "line_endings"],
    ]);
    expect(codes(searched("{ }", "{}"))).toEqual(
      expect.arrayContaining([["json_spacing"], ["body_placeholder"]]),
    );
  });

  it("returns the bytes that were signed, by the simplest explanation", () => {
    expect(Buffer.from(searched('{"a":1}', '{"a":1}\n').signed ?? "").toString()).toBe('{"a":1}\n');
    expect(searched("{}", NONE)).not.toHaveProperty("signed");
  });

  it("takes the beginning of a digest, or all of one that is printed otherwise", () => {
    const start = { ...formOf("{}"), hex: hexOf("{}").slice(0, 20) };
    expect(codes(searched("{}", "", { forms: [start] }))).toEqual([[]]);
    expect(codes(searched("{}", "", { forms: [{ ...start, hex: `${start.hex}x` }] }))).toEqual([]);
    const print = (digest: string) => digest.slice(10);
    const printed = (hex: string) =>
      searched("{}", "", { forms: [{ ...formOf("{}"), hex, print }] });
    expect(codes(printed(hexOf("{}").slice(10)))).toEqual([[]]);
    expect(codes(printed(hexOf("{}").slice(10, -1)))).toEqual([]);
  });
});
