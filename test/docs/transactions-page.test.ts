import { expect, it } from "vitest";
import { compileWithPackage } from "./compile-with-package.ts";
import { codeOf, readPage } from "./markdown.ts";

/** What `prisma generate` makes, as far as the page uses it. */
const PRISMA = `
type Create = { create(given: { data: { event: string } }): Promise<{ event: string }> };
interface Raw {
  $queryRawUnsafe<T = unknown>(query: string, ...values: any[]): Promise<T>;
}
export class PrismaClient implements Raw {
  declare payment: Create;
  declare $queryRawUnsafe: Raw["$queryRawUnsafe"];
  $transaction<R>(
    run: (tx: Omit<PrismaClient, "$transaction">) => Promise<R>,
    options?: { maxWait?: number; timeout?: number },
  ): Promise<R> {
    throw new Error(String([run, options]));
  }
}
export namespace Prisma {
  export type TransactionClient = Omit<PrismaClient, "$transaction">;
}
`;

it("the page's example of Prisma compiles, with its own type of tx", {
  timeout: 60_000,
}, async () => {
  const [code = "", ...others] = codeOf(readPage("docs/reference/transactions.md"), "ts").filter(
    (text) => text.includes('declare module "hookporter"'),
  );
  expect(others).toEqual([]);
  const stub = PRISMA.replace("export namespace", "export declare namespace");
  const files = [
    ["page.ts", code],
    ["prisma-client.ts", stub],
  ] as const;
  expect(await compileWithPackage(new Map(files))).toBe("");
  const misspelt = code.replace("tx.payment.create(", "tx.payment.creat(");
  expect(await compileWithPackage(new Map([["page.ts", misspelt], files[1]]))).toContain("creat");
});
