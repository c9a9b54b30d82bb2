import { PGlite } from "@electric-sql/pglite";
import { expect, it, onTestFinished } from "vitest";
import { postgresStore } from "../../src/inbox/postgres.ts";
import { codeOf, pagesIn, readPage } from "./markdown.ts";

/** scaling-page.test.ts runs the queries of that page, with rows to find. */
const pages = pagesIn("docs").filter((page) => page !== "docs/scaling.md");
const scripts = pages.flatMap((page) =>
  codeOf(readPage(page), "sql").map((sql) => ({ page, sql })),
);

it("some pages have SQL", () => expect(scripts.length).toBeGreaterThan(1));

it.each(scripts)("the SQL on $page runs in a database with an inbox", async ({ sql }) => {
  const database = new PGlite();
  onTestFinished(() => database.close());
  const inbox = postgresStore(database);
  await inbox.open();
  await database.exec("CREATE ROLE app");
  // VACUUM must be alone; functions have semicolons within.
  const statements = sql.startsWith("VACUUM") ? sql.trim().split("\n") : [sql];
  for (const statement of statements) await expect(database.exec(statement)).resolves.toBeDefined();
  await inbox.close();
});
