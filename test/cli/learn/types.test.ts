import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

const SCHEMAS = "src/schemas.ts";
const SHAPES = "src/schemas.shape.json";

/** A line of NDJSON: an envelope. */
function line(data: object, { kind = "payment.received", at = 0 } = {}): string {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + at).toISOString();
  const webhook = { id: "wh_1", url: "https://app.test/" };
  return `${JSON.stringify({ event: kind, timestamp, data, webhook })}\n`;
}

/** Payments that differ as real ones would. */
function payments(count: number): string {
  const fixed = { paid_on: "2026-01-03" };
  return Array.from({ length: count }, (_, index) => {
    const note = index % 2 ? "late" : null;
    const data = { id: `pay_${1000 + index}`, amount: `${index}.50`, ...fixed, note };
    return line(data, { at: index });
  }).join("");
}

/** Runs `types` in a folder. */
function typesIn(cwd = tempFolder()) {
  return {
    cwd,
    run: (argv: readonly string[], stdin = "") => runCli(["types", ...argv], { cwd, stdin }),
    read: (file: string) => readFileSync(join(cwd, file), "utf8"),
    edit: (file: string, change: (text: string) => string) => {
      const path = join(cwd, file);
      writeFileSync(path, change(readFileSync(path, "utf8")));
    },
  };
}

it("types writes a schema of each kind and a file of shapes, and says what they rest on", async () => {
  const { run, read } = typesIn();
  const { code, stderr, records } = await run(["-", "--json"], payments(30));
  expect(code).toBe(0);
  expect(read(SCHEMAS)).toContain(`export const paymentReceivedSchema = z.looseObject({
  id: z.string(), // pay_…
  amount: z.string(), // decimal
  note: z.string().nullable(),
  paid_on: z.string(), // date
});`);
  expect(read(SCHEMAS)).toContain("learned from 30 events since 2026-01-01. */");
  expect(JSON.parse(read(SHAPES)).kinds["payment.received"]).toMatchObject({ events: 30 });
  expect(read(SHAPES) + read(SCHEMAS)).not.toMatch(/late|pay_1/);
  expect(stderr).toMatch(/payment\.received +30 events +4 fields\n/);
  expect(records).toMatchObject([{ type: "schema", kind: "payment.received" }, { type: "types" }]);
});

it("types says that few events are few, in the output and in the code", async () => {
  const { run, read } = typesIn();
  const { stderr } = await run(["-"], payments(3) + line({ id: "pay_9999", once: 1 }));
  expect(stderr).toContain("1 seen once and left out; weak: fewer than 20 events");
  expect(read(SCHEMAS)).toContain("Few events: fields and types may be missing.");
  expect(read(SCHEMAS)).not.toContain("once");
});

it("types reads the inbox and fixtures, and only what is selected", async () => {
  const { cwd, run, read } = typesIn();
  const tenant = line({ id: "tenant_0001" }, { kind: "tenant.created" });
  const lead = line({ id: "lead_0001" }, { kind: "lead.created" });
  folderWith({ "fixtures/a.json": tenant, "fixtures/b.json": lead }, cwd);
  expect((await run(["fixtures", "--kind", "tenant.*"])).code).toBe(0);
  expect(read(SCHEMAS)).toContain("tenantCreatedSchema");
  expect(read(SCHEMAS)).not.toContain("leadCreatedSchema");
  const none = await run(["fixtures", "--since", "2027-01-01"]);
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringContaining("expected events to learn from"),
  ]);
  const noInbox = await run([]);
  expect([noInbox.code, noInbox.stderr]).toEqual([3, expect.stringContaining("there is no inbox")]);
});

it("types passes over what is not an event, and a kind that cannot be named, and says how much that was", async () => {
  const { run, read } = typesIn();
  const unnamed = line({}, { kind: "*/ alert(1) /*" });
  const { code, stderr } = await run(["-"], `${payments(20)}{"no":"event"}\nno JSON\n${unnamed}`);
  const first = "skipped 2 that are not events, the first: line 21: ";
  expect([code, stderr]).toEqual([0, expect.stringContaining(first)]);
  expect(stderr).toContain("left out 1 kind whose names cannot be written");
  expect(read(SCHEMAS)).not.toContain("alert");
  const other = await run(["-"], payments(20).replace(/wh_[a-z0-9_]*/, "") + payments(20));
  expect(other.stderr).toContain("webhook.id");
});

it("types replaces its own file, but not one that was edited", async () => {
  const { run, read, edit } = typesIn();
  await run(["-", "HOOKPORTER_TYPES_STRICT=true"], payments(20));
  expect((await run(["-", "HOOKPORTER_TYPES_STRICT=true"], payments(40))).code).toBe(0);
  expect(read(SCHEMAS)).toContain("40 events");
  edit(SCHEMAS, (text) => text.replace("z.iso.date()", "z.string()"));
  const refused = await run(["-"], payments(20));
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/was edited \(payment\.received\).*--merge/),
  ]);
  expect(read(SCHEMAS)).toContain("40 events");
  expect((await run(["-", "--force", "HOOKPORTER_TYPES_STRICT=true"], payments(20))).code).toBe(0);
  expect(read(SCHEMAS)).toContain("z.iso.date()");
  edit(SCHEMAS, (text) => `${text}\nexport const own = 1;\n`);
  expect((await run(["-"], payments(20))).stderr).toContain("has code of your own");
});

it("types --merge keeps edited blocks, prints how they differ, and adds new kinds before the list of all", async () => {
  const { run, read, edit } = typesIn();
  await run(["-", "HOOKPORTER_TYPES_STRICT=true"], payments(20));
  edit(SCHEMAS, (text) => text.replace("z.iso.date()", "z.string() /* mine */"));
  const both = payments(20) + line({ id: "lead_0001" }, { kind: "lead.created" });
  const { code, stderr } = await run(["-", "--merge", "HOOKPORTER_TYPES_STRICT=true"], both);
  expect(code).toBe(0);
  expect(stderr).toContain("payment.received was edited and left alone");
  expect(stderr).toMatch(
    /- +paid_on: z\.string\(\) \/\* mine \*\/,\n +\+ +paid_on: z\.iso\.date\(\),/,
  );
  const text = read(SCHEMAS);
  expect(text).toContain("/* mine */");
  expect(text.indexOf("leadCreatedSchema = ")).toBeLessThan(text.indexOf("export const schemas"));
  expect(text).toContain('"lead.created": leadCreatedSchema,');
});

it("types --check exits with 1 and names the place and an example if events no longer fit", async () => {
  const { run } = typesIn();
  await run(["-"], payments(20));
  expect((await run(["-", "--check"], payments(5))).code).toBe(0);
  const data = { id: 12, amount: "1.00", note: null, paid_on: "2026-01-03" };
  const changed = line({ ...data, extra: "secret-value" });
  const { code, stdout } = await run(["-", "--check"], payments(2) + changed);
  expect(code).toBe(1);
  expect(stdout).toContain(
    "payment.received  data.id  type changed: expected string (pay_…), got number (1 event, such as line 3)",
  );
  expect(stdout).toContain("data.extra  new field");
  expect(stdout).not.toContain("secret-value");
  const without = await typesIn().run(["-", "--check"], payments(1));
  expect([without.code, without.stderr]).toEqual([
    2,
    expect.stringContaining("schemas.shape.json"),
  ]);
});

it("types --diff compares times, and a shape file with events", async () => {
  const { run } = typesIn();
  await run(["-"], payments(20));
  const later = line(
    { id: "pay_1", amount: 7, paid_on: "2026-01-03", note: null },
    { at: 86_400_000 },
  ).repeat(2);
  const byTime = await run(["-", "--diff", "2026-01-02"], payments(20) + later);
  expect(byTime.stdout).toContain(
    "payment.received  data.amount  type changed: string (decimal) → integer",
  );
  const byFile = await run(["-", "--diff", SHAPES], later);
  expect(byFile.stdout).toContain("data.amount  type changed");
  expect((await run([SHAPES, "--diff", SHAPES])).stderr).toContain("no differences");
  const bad = await run(["-", "--diff", "nosuch.json"], later);
  expect([bad.code, bad.stderr]).toEqual([
    2,
    expect.stringContaining("expected --diff with a shape file"),
  ]);
});

it("types writes TypeScript, JSON Schema and enums where asked for", async () => {
  const { run, read } = typesIn();
  expect((await run(["-", "--format", "typescript", "--out", "-"], payments(20))).stdout).toContain(
    "export type PaymentReceived = {\n  id: string;",
  );
  const { stdout } = await run(["-", "--format", "json-schema", "--out", "-"], payments(20));
  expect(JSON.parse(stdout).$defs["payment.received"].required).toEqual([
    "id",
    "amount",
    "note",
    "paid_on",
  ]);
  await run(["-", "HOOKPORTER_ENUMS=payment.received:data.note"], payments(20));
  expect(read(SCHEMAS)).toContain(
    'note: (z.string() as z.ZodType<"late" | (string & {})>).nullable()',
  );
  await run(
    ["-", "HOOKPORTER_ENUMS=payment.received:data.note", "HOOKPORTER_TYPES_STRICT=true"],
    payments(20),
  );
  expect(read(SCHEMAS)).toContain('note: z.enum(["late"]).nullable()');
  expect((await run(["-", "HOOKPORTER_ENUMS=status"], payments(1))).code).toBe(2);
  expect((await run(["-", "--check", "--merge"], payments(1))).code).toBe(2);
});

it("types --strict writes formats that schemas enforce", async () => {
  const { run, read } = typesIn();
  await run(["-", "HOOKPORTER_TYPES_STRICT=true"], payments(30));
  expect(read(SCHEMAS)).toContain(`export const paymentReceivedSchema = z.looseObject({
  id: z.string().startsWith("pay_"),
  amount: z.string().regex(/^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$/),
  note: z.string().nullable(),
  paid_on: z.iso.date(),
});`);
  const schema = (
    await run(
      ["-", "HOOKPORTER_TYPES_STRICT=true", "--format", "json-schema", "--out", "-"],
      payments(30),
    )
  ).stdout;
  expect(JSON.parse(schema).$defs["payment.received"].properties.id).toEqual({
    type: "string",
    pattern: "^pay_",
  });
  const plain = (await run(["-", "--format", "json-schema", "--out", "-"], payments(30))).stdout;
  expect(JSON.parse(plain).$defs["payment.received"].properties).toMatchObject({
    id: { type: "string" },
    paid_on: { type: "string", format: "date" },
  });
});

it("types leaves out what trigger, check and the sandbox made up, and says how much", async () => {
  const { run } = typesIn();
  const made = ["wh_sample_0001", "wh_sandbox_0002"]
    .map((id) => payments(2).replaceAll("wh_1", id))
    .join("");
  const none = await run(["-"], made);
  expect([none.code, none.stderr]).toEqual([
    2,
    expect.stringMatching(/all 4 were made up.*--with-samples/),
  ]);
  const mixed = await run(["-"], made + payments(3));
  expect([mixed.code, mixed.stderr]).toEqual([
    0,
    expect.stringContaining("left out 4 events that were made up"),
  ]);
  expect(mixed.stderr).toMatch(/payment\.received +3 events/);
  const all = await run(["-", "--with-samples"], made + payments(3));
  expect(all.stderr).toMatch(/payment\.received +7 events/);
});

it("types learns names in any script, and says which keys it left out", async () => {
  const { run, read } = typesIn();
  const data = {
    prénom: "Zoé",
    "code postal": "01000",
    "2nd_phone": "1",
    "price_€": 2,
    toString: "x",
    "a@b.test": 1,
  };
  const { stderr } = await run(["-"], line(data, { at: 0 }).repeat(30));
  const text = read(SCHEMAS);
  for (const name of ['"prénom"', '"code postal"', '"2nd_phone"', '"price_€"'])
    expect(text).toContain(`  ${name}: z.`);
  expect(text).toContain('"code postal": z.string(),\n');
  expect(text).not.toMatch(/toString|a@b/);
  expect(stderr).toMatch(
    /payment\.received +30 events +4 fields {2}keys that look like data left out\n/,
  );
});

it("types lists a kind that the library does not know in `otherKinds`", async () => {
  const { run, read, edit } = typesIn();
  const events = payments(20) + line({ id: "inv_1" }, { kind: "invoice.sent" }).repeat(20);
  const { stderr } = await run(["-"], events);
  expect(read(SCHEMAS)).toContain('export const otherKinds = ["invoice.sent"] as const;');
  expect(read(SCHEMAS)).toContain('"invoice.sent": invoiceSentSchema,');
  expect(stderr).toMatch(/invoice\.sent .*not one of the 12 kinds: in otherKinds/);
  const one = await run(["-", "--kind", "invoice.sent", "--out", "-"], events);
  expect(one.stdout).not.toContain("paymentReceived");
  expect((await run(["-", "--kind", "in voice"], events)).code).toBe(2);
  // A file of an older version, whose program passes no otherKinds on: it must still compile and
  // start.
  edit(SCHEMAS, (text) => text.replace(/\/\/ learned otherKinds.*?end of otherKinds\n\n/s, ""));
  const old = await run(["-", "--merge"], events);
  expect([old.code, old.stderr]).toEqual([0, expect.stringContaining("so not in schemas")]);
  expect(read(SCHEMAS)).not.toMatch(/"invoice\.sent": |otherKinds/);
  expect(read(SCHEMAS)).toContain("invoiceSentSchema");
});
