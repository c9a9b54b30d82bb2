import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import { scaffold } from "../../src/scaffold/scaffold.ts";
import { runCli, startCli } from "../cli/fake-io.ts";

const root = join(import.meta.dirname, "..", "..");
const KINDS = [
  "payment.received",
  "tenant.created",
  "lease.expired",
  "deal.status_changed",
  "contact.created",
];

/** Handlers that use fields of data that nobody wrote down. */
const HANDLERS = `import { defineHandlers } from "hookporter";
import { otherKinds, schemas } from "./schemas.ts";

export default defineHandlers({
  schemas,
  otherKinds,
  handlers: {
    "payment.received": (event) => void event.data.amount.padStart(8),
    "tenant.created": (event) => void event.data.lease_start.slice(0, 4),
    "lease.expired": (event) => void event.data.expires_on.slice(0, 4),
    "deal.status_changed": (event) => void event.data.status.toUpperCase(),
    "contact.created": (event) => void event.data.email.split("@"),
    "invoice.sent": (event) => void event.data["code postal"].padStart(event.data.number),
  },
});
`;

it("a new project's handlers are typed by what it received, with no edit of the schemas", async () => {
  const place = await mkdtemp(join(tmpdir(), "hookporter-learned-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const cwd = join(place, "app");
  await scaffold({ directory: cwd, template: "express", inbox: "file" });
  await symlink(await packagePlace(place), join(cwd, "node_modules"), "junction");
  const listen = startCli(
    ["listen", "--port", "0", "--json", "--no-inspect", "--inbox", "data/inbox.db"],
    {
      cwd,
    },
  );
  const ready = await vi.waitFor(() => {
    const record = listen.now().records.find(({ type }) => type === "ready");
    if (record === undefined) throw new Error(listen.now().stderr);
    return record;
  }, 30_000);
  for (const kind of KINDS) {
    const argv = ["trigger", kind, "--count", "40", "--url", String(ready.url)];
    expect((await runCli(argv, { cwd })).code).toBe(0);
  }
  const invoices = Array.from({ length: 40 }, (_, index) => ({
    event: "invoice.sent",
    timestamp: new Date().toISOString(),
    webhook: { id: "wh_1", url: "https://app.test/" },
    data: { prénom: index % 2 ? "Zoé" : null, "code postal": "01000", number: index },
  }));
  for (const [index, invoice] of invoices.entries())
    await writeFile(join(cwd, "data", `${index}.json`), JSON.stringify(invoice));
  expect((await runCli(["replay", "data", "--url", String(ready.url)], { cwd })).code).toBe(0);
  listen.signal("SIGINT");
  await listen.finished;

  const { code, stderr } = await runCli(["types", "--with-samples"], { cwd });
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/contact\.created +40 events.*invoice\.sent +40 events/s),
  ]);
  expect(await failedTests(cwd)).toEqual([]);
  await writeFile(join(cwd, "src", "learned-handlers.ts"), HANDLERS);
  expect(await compilerOutput(cwd)).toBe("");
  const wrong = (await readFile(join(cwd, "src", "learned-handlers.ts"), "utf8")).replace(
    "amount.pad",
    "amount.nope.pad",
  );
  await writeFile(join(cwd, "src", "learned-handlers.ts"), wrong);
  expect(await compilerOutput(cwd)).toContain("nope");
});

it("a 13th kind compiles in the handlers' files, and a misspelt one is told with those of its family", async () => {
  const place = await mkdtemp(join(tmpdir(), "hookporter-registry-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const cwd = join(place, "app");
  await scaffold({ directory: cwd, template: "express", inbox: "file" });
  await symlink(await packagePlace(place), join(cwd, "node_modules"), "junction");
  const schemas = join(cwd, "src", "schemas.ts");
  const learned = await readFile(schemas, "utf8");
  await writeFile(schemas, learned.replace("otherKinds = []", 'otherKinds = ["invoice.sent"]'));
  const finances = join(cwd, "src", "handlers", "finances.ts");
  const before = await readFile(finances, "utf8");
  const withHandler = (pattern: string) =>
    writeFile(
      finances,
      before.replace(/^}$/m, `  receiver.on(${pattern}, ({ kind }) => void kind);\n}`),
    );
  await withHandler('"invoice.sent"');
  expect(await compilerOutput(cwd)).toBe("");
  expect(await compilerOutput(cwd, ["src", "test"])).toBe("");
  await withHandler('"payment.recieved"');
  expect(await compilerOutput(cwd)).toContain('"did you mean payment.received?"');
  await withHandler('["payment.received", "paymnt.overdue"]');
  expect(await compilerOutput(cwd)).toContain(
    "no such event kind: expected one of EventKind or otherKinds",
  );
});

/** A folder of packages in which `hookporter` is this one, as it is built. */
async function packagePlace(place: string): Promise<string> {
  const packages = join(place, "packages");
  await mkdir(packages);
  await symlink(root, join(packages, "hookporter"), "junction");
  for (const name of ["zod", "express", "prom-client", "@types", "typescript", "vitest"])
    await symlink(join(root, "node_modules", name), join(packages, name), "junction");
  return packages;
}

/** The project's own tests of its handlers that fail. */
async function failedTests(cwd: string): Promise<readonly string[]> {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const argv = [vitest, "run", "test/handlers.test.ts", "--reporter", "json"];
  const run = promisify(execFile)(process.execPath, argv, {
    cwd,
    env: { ...process.env, VITEST: undefined },
  });
  const { stdout } = await run.catch((error) => error);
  const { testResults } = JSON.parse(stdout);
  const tests: readonly { title: string; status: string }[] = testResults[0].assertionResults;
  expect(tests.length).toBeGreaterThan(10);
  return tests.flatMap(({ title, status }) => (status === "failed" ? [title] : []));
}

/** What the compiler says of a project's sources, by default without its tests. */
async function compilerOutput(cwd: string, include = ["src"]): Promise<string> {
  const settings = { extends: "./tsconfig.json", include, compilerOptions: { noEmit: true } };
  await writeFile(join(cwd, "tsconfig.src.json"), JSON.stringify(settings));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const run = promisify(execFile)(process.execPath, [tsc, "-p", "tsconfig.src.json"], { cwd });
  return (await run.catch((error) => error)).stdout;
}
