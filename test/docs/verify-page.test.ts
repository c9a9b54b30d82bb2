import { expect, it } from "vitest";
import type { VerifiedDelivery, VerifyOptions } from "../../src/entries/verify.ts";
import { compileWithPackage } from "./compile-with-package.ts";
import { codeOf, quoted, readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/package/verify.md");

/** The types keep these complete: an added or removed option or status does not compile. */
const OPTIONS: Readonly<Record<keyof VerifyOptions, true>> = {
  secret: true,
  signatureHeader: true,
};
const STATUSES: Readonly<Record<VerifiedDelivery["status"], true>> = {
  200: true,
  400: true,
  401: true,
};

it("the page's example compiles", { timeout: 60_000 }, async () => {
  const [example = ""] = codeOf(page, "ts");
  expect(example).toContain("await verify(");
  expect(await compileWithPackage(new Map([["example.ts", example]]))).toBe("");
});

it("the page lists every option, and every status of the result", () => {
  const options = rowsOf(sectionOf(page, "verify(body, headers, options)")).map(
    ([name = ""]) => quoted(name)[0],
  );
  expect(options).toEqual(Object.keys(OPTIONS));
  const statuses = rowsOf(sectionOf(page, "The result")).map(([, status = ""]) => status);
  expect(statuses.sort()).toEqual(Object.keys(STATUSES));
});
