import { describe, expect, it } from "vitest";
import { diagnoseSignature } from "../../../src/signature/diagnose/diagnose.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { processorTime } from "../../processor-time.ts";
import { codesOf, diagnosed } from "./made.ts";
import { bytes } from "./mistake.ts";

const codes = codesOf;
const NOBODY = "signed by nobody";
const row = (index: number) => ({ zone: "é/<", index, amount: index + 0.5 });
const rowsOf = (length: number) => Array.from({ length }, (_, index) => row(index));

describe("diagnoseSignature, of a large body,", () => {
  it("is bounded by work, not by time: a large body always has the same result, marked as incomplete", {
    timeout: 120_000, // some seconds of processor time
  }, () => {
    const large = { data: rowsOf(8000), more: "x".repeat(600_000) };
    const body = JSON.stringify(large, null, 1);
    expect(body.length).toBeGreaterThan(1024 * 1024);
    const before = processorTime();
    const diagnosis = diagnosed(body, NOBODY);
    expect(processorTime() - before).toBeLessThan(10_000); // about one second
    expect(diagnosis).toMatchObject({ code: "unexplained", complete: false });
    expect(diagnosed(body, NOBODY).tried).toBe(diagnosis.tried);
    expect(codes(diagnosed(body, JSON.stringify(large)))[0]).toEqual(["json_spacing"]);
  });

  it("with the work of a live view, finds a single cause in a body of 75 kB, and ends sooner without a cause", () => {
    const data = rowsOf(1000);
    const body = JSON.stringify({ data }, null, 2);
    const live = { work: 1e8 };
    expect(codes(diagnosed(body, JSON.stringify({ data }), live))[0]).toEqual(["json_spacing"]);
    const little = diagnosed(body, NOBODY, live).tried;
    expect(little * 3).toBeLessThan(diagnosed(body, NOBODY).tried);
  });

  it("finds what is at the ends of a body that is too large to read, and an empty one", () => {
    const large = JSON.stringify({ data: "x".repeat(3_000_000) });
    for (const [here, there, code] of [
      [large, `${large}\n`, "newline_at_end"],
      [large, `${large}\r\n`, "newline_at_end"],
      [`${large}\n`, large, "newline_at_end"],
      [`${large}\r\n`, large, "newline_at_end"],
      [`\uFEFF${large}`, large, "byte_order_mark"],
      [large, `\uFEFF${large}`, "byte_order_mark"],
      [large, "", "body_empty"],
    ] as const)
      expect(codes(diagnosed(here, there))).toEqual([[code]]);
  });

  it("hashes no more bytes than allowed, give or take one digest", () => {
    const body = bytes("x".repeat(1_000_000));
    const secrets = readSecrets(["a-secret-0123456789", "b-secret-0123456789"]);
    for (const work of [3e6, 1e7, 2e7]) {
      const { tried, complete } = diagnoseSignature(body, `sha256=${"0".repeat(64)}`, secrets, {
        work,
      });
      expect(complete).toBe(false);
      expect(tried * body.byteLength).toBeLessThanOrEqual(work + body.byteLength);
      expect(tried).toBeGreaterThan(1);
    }
  });

  it("finds JSON as Python prints it in a body of 1.2 MB", () => {
    const more = `"rooms":3,"more":["${"x".repeat(40)}"]`;
    const rows = Array.from(
      { length: 12_000 },
      (_, at) => `{"id":"prop_${at}","zone":"é, x","surface":${at}.5,${more}}`,
    );
    const body = `{"event":"payment.received","data":[${rows.join()}]}`;
    const printed = body.replace(/(?<=["\]}\d])([,:])(?=["[{\d])/g, "$1 ");
    expect(codes(diagnosed(body, printed))[0]).toEqual(["json_spacing"]);
    const escaped = printed.replaceAll("é", "\\u00e9");
    expect(codes(diagnosed(body, escaped))[0]).toEqual(["json_spacing", "json_escapes"]);
  });

  it("does not print deeply nested JSON without bound", () => {
    for (const depth of [64, 65, 100_000]) {
      const body = `${"[".repeat(depth)}${"1,".repeat(50_000)}1${"]".repeat(depth)}`;
      expect(diagnosed(body, NOBODY).code).toBe("unexplained");
    }
  });
});
