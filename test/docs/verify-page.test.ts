import { expect, it } from "vitest";
import type { VerifiedDelivery } from "../../src/entries/verify.ts";
import { readPage, rowsOf, sectionOf } from "./markdown.ts";

const page = readPage("docs/reference/package/verify.md");

/** The type keeps these complete: an added or removed status does not compile. */
const STATUSES: Readonly<Record<VerifiedDelivery["status"], true>> = {
  200: true,
  400: true,
  401: true,
};

it("the page lists every status of the result", () => {
  const statuses = rowsOf(sectionOf(page, "The result")).map(([, status = ""]) => status);
  expect(statuses.sort()).toEqual(Object.keys(STATUSES));
});
