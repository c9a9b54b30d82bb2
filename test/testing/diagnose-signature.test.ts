import { expect, it } from "vitest";
import { diagnoseSignature, signedRequest } from "../../src/entries/testing.ts";

const secret = "the secret of this test";
const sent = Buffer.from('{"a":1}');
const request = signedRequest(sent, { secret });

it("diagnoseSignature takes what `verify` takes, and names the cause", () => {
  const spaced = Buffer.from('{ "a": 1 }');
  expect(diagnoseSignature(sent, request.headers, { secret }).code).toBe("valid");
  expect(diagnoseSignature(spaced, request.headers, { secret }).code).toBe("json_spacing");
  const header = request.headers["x-service-signature"];
  expect(diagnoseSignature(spaced, header, { secret: () => secret }).code).toBe("json_spacing");
  expect(diagnoseSignature(sent, {}, { secret }).code).toBe("header_missing");
  expect(diagnoseSignature(sent, null, { secret }).code).toBe("header_missing");
});

it("diagnoseSignature finds a signature in another header, under another name, and with another secret", () => {
  const renamed = { "x-other": request.headers["x-service-signature"] };
  expect(diagnoseSignature(sent, renamed, { secret }).code).toBe("header_name");
  const options = { secret, signatureHeader: "x-other" };
  expect(diagnoseSignature(sent, renamed, options).code).toBe("valid");
  const others = [{ name: "STAGING_SECRET", secret }];
  const found = diagnoseSignature(sent, request.headers, { secret: "another secret", others });
  expect(found).toMatchObject({ code: "secret_other" });
  expect(JSON.stringify(found)).toContain("STAGING_SECRET");
  expect(JSON.stringify(found)).not.toContain(secret);
});

it("diagnoseSignature refuses a secret that is missing or empty", () => {
  const diagnose = (given: string | undefined) => () =>
    diagnoseSignature(sent, request.headers, { secret: given });
  expect(diagnose(undefined)).toThrow(expect.objectContaining({ code: "secret_missing" }));
  expect(diagnose("")).toThrow(expect.objectContaining({ code: "secret_empty" }));
});
