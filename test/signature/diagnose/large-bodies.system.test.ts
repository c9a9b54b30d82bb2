import { describe, expect, it } from "vitest";
import type { Diagnosis } from "../../../src/entries/testing.ts";
import { diagnoseSignature } from "../../../src/signature/diagnose/diagnose.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { processorTime } from "../../processor-time.ts";
import { signed } from "./made.ts";
import { bytes } from "./mistake.ts";

const codes = ({ explanations }: Diagnosis) =>
  explanations.map((causes) => causes.map(({ code }) => code));

describe("diagnoseSignature, of a large body,", () => {
  it("is bounded by work, not by time: a large body always has the same result, marked as incomplete", {
    timeout: 120_000, // some seconds of processor time
  }, () => {
    const rows = Array.from({ length: 8000 }, (_, index) => ({
      zone: "é/<",
      index,
      amount: index + 0.5,
    }));
    const large = { data: rows, more: "x".repeat(600_000) };
    const body = bytes(JSON.stringify(large, null, 1));
    expect(body.byteLength).toBeGreaterThan(1024 * 1024);
    const secrets = readSecrets("a-secret-0123456789");
    const before = processorTime();
    const diagnosis = diagnoseSignature(body, `sha256=${"0".repeat(64)}`, secrets);
    expect(processorTime() - before).toBeLessThan(10_000); // about one second
    expect(diagnosis).toMatchObject({ code: "unexplained", complete: false });
    expect(diagnoseSignature(body, `sha256=${"0".repeat(64)}`, secrets).tried).toBe(
      diagnosis.tried,
    );
    const compact = signed(JSON.stringify(large), "a-secret-0123456789");
    expect(codes(diagnoseSignature(body, compact, secrets))[0]).toEqual(["json_spacing"]);
  });

  it("with the work of a live view, finds a single cause in a body of 75 kB, and ends sooner without a cause", () => {
    const rows = Array.from({ length: 1000 }, (_, index) => ({
      zone: "é/<",
      index,
      amount: index + 0.5,
    }));
    const body = bytes(JSON.stringify({ data: rows }, null, 2));
    const secrets = readSecrets("a-secret-0123456789");
    const work = 1e8;
    const compact = signed(JSON.stringify({ data: rows }), "a-secret-0123456789");
    expect(codes(diagnoseSignature(body, compact, secrets, { work }))[0]).toEqual(["json_spacing"]);
    const zero = `sha256=${"0".repeat(64)}`;
    const little = diagnoseSignature(body, zero, secrets, { work }).tried;
    expect(little * 3).toBeLessThan(diagnoseSignature(body, zero, secrets).tried);
  });

  it.each([
    ["newline_at_end", "", "\n"],
    ["newline_at_end", "", "\r\n"],
    ["newline_at_end", "\n", ""],
    ["newline_at_end", "\r\n", ""],
  ])("finds %s in a body that is too large to read: %j here, %j there", (code, here, there) => {
    const large = JSON.stringify({ data: "x".repeat(3_000_000) });
    const header = signed(large + there, "a-secret-0123456789");
    const found = diagnoseSignature(
      bytes(large + here),
      header,
      readSecrets("a-secret-0123456789"),
    );
    expect(codes(found)).toEqual([[code]]);
  });

  it("finds a byte order mark and an empty body if the body is too large to read", () => {
    const large = JSON.stringify({ data: "x".repeat(3_000_000) });
    const secrets = readSecrets("a-secret-0123456789");
    const find = (here: string, there: string) =>
      codes(diagnoseSignature(bytes(here), signed(there, "a-secret-0123456789"), secrets));
    expect(find(`\uFEFF${large}`, large)).toEqual([["byte_order_mark"]]);
    expect(find(large, `\uFEFF${large}`)).toEqual([["byte_order_mark"]]);
    expect(find(large, "")).toEqual([["body_empty"]]);
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
    const rows = Array.from(
      { length: 12_000 },
      (_, index) =>
        `{"id":"prop_${index}","zone":"é, x","surface":${index}.5,"rooms":3,"more":["${"x".repeat(40)}"]}`,
    );
    const body = `{"event":"payment.received","data":[${rows.join()}]}`;
    const secrets = readSecrets("a-secret-0123456789");
    for (const write of [
      (text: string) => text,
      (text: string) => text.replaceAll("é", "\\u00e9"),
    ]) {
      const printed = write(body.replace(/(?<=["\]}\d])([,:])(?=["[{\d])/g, "$1 "));
      const header = signed(printed, "a-secret-0123456789");
      const [found] = codes(diagnoseSignature(bytes(body), header, secrets));
      expect(found).toEqual(
        printed.includes("é") ? ["json_spacing"] : ["json_spacing", "json_escapes"],
      );
    }
  });

  it("does not print deeply nested JSON without bound", () => {
    const secrets = readSecrets("a-secret-0123456789");
    for (const depth of [64, 65, 100_000]) {
      const body = bytes(`${"[".repeat(depth)}${"1,".repeat(50_000)}1${"]".repeat(depth)}`);
      expect(diagnoseSignature(body, `sha256=${"0".repeat(64)}`, secrets).code).toBe("unexplained");
    }
  });
});
