import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { createJiti } from "jiti";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { placeOf } from "../../../src/cli/types/data-type.ts";
import { comparerOf } from "../../../src/cli/types/differences.ts";
import { sampleValue } from "../../../src/cli/types/sample-value.ts";
import { writeSchemas } from "../../../src/cli/types/schemas-file.ts";
import {
  addShape,
  emptyShape,
  type Learned,
  learn,
  observe,
  type Shape,
} from "../../../src/cli/types/shape.ts";
import { readShapes, writeShapes } from "../../../src/cli/types/shape-file.ts";
import { zodText } from "../../../src/cli/types/write-zod.ts";
import { seededRandom } from "../../../src/relay/random.ts";

/** Values that have a format, or nearly, beside any others. */
const text = fc.oneof(
  fc.string(),
  fc.uuid(),
  fc.emailAddress(),
  fc.webUrl(),
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((date) => date.toISOString()),
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((date) => date.toISOString().slice(0, 10)),
  fc.integer().map(String),
  fc.stringMatching(/^(?:wh|prop)_[a-z0-9]{3,8}$/),
  fc.constantFrom("open", "closed", "__proto__", "constructor", "01000", "2A004"),
);
const key = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "id",
      "amount",
      "tenant",
      "paid_on",
      "lines",
      "is-late",
      "constructor",
      "prénom",
      "code postal",
      "2nd_phone",
      "price_€",
      "toString",
      "名前",
      "a'b",
      "__proto__",
    ),
  },
  { weight: 1, arbitrary: text },
);
const { data } = fc.letrec((tie) => ({
  data: fc.dictionary(key, tie("value"), { maxKeys: 6 }),
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(1e300)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("data"),
  ),
}));
/** As they would be after their way as JSON. */
const sets = fc
  .array(data, { minLength: 1, maxLength: 8 })
  .map((set) => JSON.parse(JSON.stringify(set).replaceAll("1e+300", "1e400")) as unknown[]);

function shapeOf(set: readonly unknown[]): Shape {
  const shape = emptyShape();
  for (const one of set) observe(shape, one);
  return shape;
}

const jiti = createJiti(import.meta.url);

/** The schema that generated code would make. */
function schemaOf(shape: Shape, isStrict = true): z.ZodType {
  const source = `export default (z) => (${zodText(placeOf(shape), isStrict)});`;
  const module = jiti.evalModule(source, { filename: join(import.meta.dirname, "schema.ts") }) as {
    default: (zod: typeof z) => z.ZodType;
  };
  return module.default(z);
}

const STYLES = (["zod", "typescript"] as const).flatMap((format) =>
  [false, true].map((strict) => ({ format, strict })),
);

describe("what was learned from a set of events", () => {
  it("accepts the whole set", () => {
    fc.assert(
      fc.property(sets, (set) => {
        const shape = shapeOf(set);
        for (const isStrict of [true, false]) {
          const schema = schemaOf(shape, isStrict);
          for (const one of set) expect(schema.safeParse(one).error?.issues).toBeUndefined();
        }
      }),
    );
  });

  it("is the same in any order of the events, and in parts that are put together", () => {
    fc.assert(
      fc.property(sets, fc.nat(8), (set, cut) => {
        const reversed = shapeOf(set.toReversed());
        const parts = shapeOf(set.slice(cut));
        addShape(parts, shapeOf(set.slice(0, cut)));
        const expected = placeOf(shapeOf(set));
        expect(placeOf(reversed)).toEqual(expected);
        expect(placeOf(parts)).toEqual(expected);
      }),
    );
  });

  it("only widens with more events: whatever fitted at a known path still fits there", () => {
    fc.assert(
      fc.property(sets, sets, (set, more) => {
        const both = comparerOf(placeOf(shapeOf([...set, ...more])));
        for (const one of set)
          expect(both(one).filter(({ what }) => what !== "new field")).toEqual([]);
      }),
    );
  });

  it("differs in nothing but fields seen once from the events that it rests on", () => {
    fc.assert(
      fc.property(sets, (set) => {
        const compare = comparerOf(placeOf(shapeOf([...set, ...set])));
        for (const one of set) expect(compare(one)).toEqual([]);
      }),
    );
  });

  it("accepts generated data", () => {
    fc.assert(
      fc.property(sets, fc.nat(), (set, seed) => {
        const place = placeOf(shapeOf(set));
        const made = sampleValue(place, seededRandom(seed));
        expect(schemaOf(shapeOf(set)).safeParse(made).error?.issues).toBeUndefined();
        expect(sampleValue(place, seededRandom(seed))).toEqual(made);
      }),
    );
  });

  it("is the same after it was in a shape file", () => {
    fc.assert(
      fc.property(sets, (set) => {
        const learned: Learned = new Map();
        for (const one of set) learn(learned, "payment.received", one, 0);
        const read = readShapes(writeShapes(learned));
        expect(writeShapes(read)).toBe(writeShapes(learned));
        expect(writeSchemas(read, { format: "zod" })).toBe(
          writeSchemas(learned, { format: "zod" }),
        );
      }),
    );
  });

  it("has nothing of the texts, the numbers and the keys that are data, in any output", () => {
    const secret = "zq9canary";
    fc.assert(
      fc.property(sets, (set) => {
        const learned: Learned = new Map();
        const marked = set.map((one) => ({
          text: `${secret} x`,
          [`${secret}, the name of a tenant`]: 4711471147114711,
          one,
        }));
        for (const one of marked) learn(learned, "payment.received", one, 0);
        const all =
          writeShapes(learned) + STYLES.map((style) => writeSchemas(learned, style)).join("");
        expect(all).not.toMatch(/zq9canary|4711471147114711/);
      }),
    );
  });

  it("compiles under strict, as a schema and as a type", async () => {
    const learned: Learned = new Map();
    for (const [index, set] of fc.sample(sets, { numRuns: 60, seed: 7 }).entries())
      for (const one of set) learn(learned, `kind_${index}.created`, one, index);
    for (const kind of [
      "a.b",
      "a_b",
      "a-b",
      "a.b_c",
      "a.b.c",
      "facture.créée",
      "請求.送信",
      "1st.kind",
      "__",
    ])
      learn(learned, kind, {}, 0);
    for (const style of STYLES) expect(await compilerOutput(writeSchemas(learned, style))).toBe("");
  });
});

/** What the compiler says of a module that is next to the package's own. */
async function compilerOutput(source: string): Promise<string> {
  const folder = await mkdtemp(join(import.meta.dirname, "learned-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const root = join(import.meta.dirname, "..", "..", "..");
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  };
  const settings = {
    extends: join(root, "tsconfig.json"),
    compilerOptions,
    include: [],
    files: ["schemas.ts"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
  await writeFile(join(folder, "schemas.ts"), source);
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const ended = await promisify(execFile)(process.execPath, [tsc, "-p", folder]).catch(
    (error) => error,
  );
  return ended.stdout;
}
