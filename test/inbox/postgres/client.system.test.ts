import { expect, it, vi } from "vitest";
import type * as ownAddress from "../../../src/base/package/own-address.ts";
import { postgresStore } from "../../../src/inbox/postgres.ts";

vi.mock("pg", () => {
  throw new Error("Cannot find package 'pg'");
});
vi.mock("../../../src/base/package/own-address.ts", async (original) => ({
  ...(await original<typeof ownAddress>()),
  findPackage: () => undefined,
}));

it("without the package pg, an inbox on PostgreSQL does not open, and its error says what to run", async () => {
  const inbox = postgresStore("postgres://user:canary-password@db.test/app");
  const error = await inbox.open().then(
    () => expect.unreachable("it opened"),
    (thrown) => thrown as Error,
  );
  expect(error).toMatchObject({ name: "ConfigurationError", code: "inbox_client_missing" });
  expect(error.message).toBe(
    "expected the package pg to be installed for the inbox postgres://user@db.test/app, got none: run npm i pg",
  );
});
