import { expect, it } from "vitest";
import type { VerifiedDelivery, VerifierOptions } from "../../src/entries/verify.ts";
import { compileWithPackage } from "./compile-with-package.ts";
import { codeOf, quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/package/verify.md");

/** The types keep these complete: an added or removed option or status does not compile. */
const OPTIONS: Readonly<Record<keyof VerifierOptions, true>> = {
  secret: true,
  signatureHeader: true,
  warn: true,
};
const STATUSES: Readonly<Record<VerifiedDelivery["status"], true>> = { 200: true, 400: true, 401: true };

it("the page's example compiles", { timeout: 60_000 }, async () => {
  const [example = ""] = codeOf(page, "ts");
  expect(example).toContain("createVerifier");
  expect(await compileWithPackage(new Map([["example.ts", example]]))).toBe("");
});

it("the page lists every option, and every status of the result", () => {
  const options = rowsOf(sectionOf(page, "createVerifier(options)")).map(([name = ""]) => quoted(name)[0]);
  expect(options).toEqual(Object.keys(OPTIONS));
  const statuses = rowsOf(sectionOf(page, "verify(body, headers)")).map(([, status = ""]) => status);
  expect(statuses.sort()).toEqual(Object.keys(STATUSES));
});
