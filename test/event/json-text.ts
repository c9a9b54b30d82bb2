import fc from "fast-check";

/** A number by its exact value, `digits` times 10 to the `power`; JSON has no doubles. */
export interface ExactNumber {
  readonly digits: bigint;
  readonly power: number;
}

/** The members of an object in some order. */
export interface Members {
  readonly members: readonly (readonly [key: string, value: Tree])[];
}

/** A JSON value, independent of how it is written. */
export type Tree = null | boolean | string | ExactNumber | readonly Tree[] | Members;

/** Returns a random whole number from 0 up to `below`. */
export type Draw = (below: number) => number;

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.string({
    unit: fc.constantFrom("a", "\u0000", "\ud800", "\udc00", "é", "/", '"', "\\", "\u2028"),
    maxLength: 4,
  }),
);

const key = text.filter((name) => !["__proto__", "constructor", "prototype"].includes(name));

const exactNumber: fc.Arbitrary<ExactNumber> = fc.record({
  digits: fc.oneof(
    fc.bigInt({ min: -99n, max: 99n }),
    fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
  ),
  power: fc.integer({ min: -6, max: 6 }),
});

/** Any JSON value, including 25-digit integers, lone surrogates and NUL. */
export const anyTree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree; members: Members }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false),
    text,
    exactNumber,
    fc.array(tie("tree"), { maxLength: 3 }),
    tie("members"),
  ),
  members: membersOf(tie("tree")),
})).tree;

/** Any JSON object. */
export const anyMembers: fc.Arbitrary<Members> = membersOf(anyTree);

/** A random source: the same seed makes the same text. */
export const anyDraw: fc.Arbitrary<Draw> = fc.integer().map((seed) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % below;
  };
});

/**
 * One of the many JSON texts of a value, with random key order, spacing, escapes and spelling of
 * numbers.
 */
export function write(tree: Tree, draw: Draw): string {
  if (tree === null || typeof tree === "boolean") return String(tree);
  if (typeof tree === "string") return writeString(tree, draw);
  if ("digits" in tree) return writeNumber(tree, draw);
  const space = () => ["", "", " ", "\n\t", "  \r\n"][draw(5)] ?? "";
  if ("members" in tree) {
    const members = shuffled(tree.members, draw).map(
      ([name, value]) =>
        `${space()}${writeString(name, draw)}${space()}:${space()}${write(value, draw)}${space()}`,
    );
    return `{${members.length === 0 ? space() : members.join(",")}}`;
  }
  const values = tree.map((value) => `${space()}${write(value, draw)}${space()}`);
  return `[${values.length === 0 ? space() : values.join(",")}]`;
}

/** A text that is the same for equal values only; computed without the code under test. */
export function exactForm(tree: Tree): string {
  if (tree === null || typeof tree === "boolean") return String(tree);
  if (typeof tree === "string") return JSON.stringify(tree);
  if ("digits" in tree) return `n${tree.digits * 10n ** BigInt(tree.power + 10)}`;
  if (!("members" in tree)) return `[${tree.map(exactForm).join(",")}]`;
  const members = tree.members.map(
    ([name, value]) => `${JSON.stringify(name)}:${exactForm(value)}`,
  );
  return `{${members.sort().join(",")}}`;
}

/** The same value with one change somewhere in it. */
export function changed(tree: Tree, draw: Draw): Tree {
  if (tree === null) return false;
  if (typeof tree === "boolean") return !tree;
  if (typeof tree === "string") return draw(2) === 0 ? `${tree}x` : { digits: 1n, power: 0 };
  if ("digits" in tree) return { ...tree, digits: tree.digits + 1n };
  if ("members" in tree) {
    const { members } = tree;
    if (members.length === 0) return { members: [["x", null]] };
    const at = draw(members.length);
    if (draw(4) === 0) return { members: members.filter((_, index) => index !== at) };
    return {
      members: members.map(([name, value], index) => [
        name,
        index === at ? changed(value, draw) : value,
      ]),
    };
  }
  if (tree.length === 0) return [null];
  const at = draw(tree.length);
  return tree.map((value, index) => (index === at ? changed(value, draw) : value));
}

function membersOf(tree: fc.Arbitrary<Tree>): fc.Arbitrary<Members> {
  return fc
    .uniqueArray(fc.tuple(key, tree), { maxLength: 4, selector: ([name]) => name })
    .map((members) => ({ members }));
}

function writeString(value: string, draw: Draw): string {
  const units = Array.from(value, (character) => {
    const plain = JSON.stringify(character).slice(1, -1);
    if (draw(3) !== 0) return plain;
    if (character === "/") return "\\/";
    const escapes = character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return draw(2) === 0
      ? escapes.join("")
      : escapes.join("").replace(/[a-f]/g, (digit) => digit.toUpperCase());
  });
  return `"${units.join("")}"`;
}

function writeNumber({ digits, power }: ExactNumber, draw: Draw): string {
  const zeros = digits === 0n ? 0 : draw(4); // 000 is no JSON number
  const sign = digits < 0n || (digits === 0n && draw(2) === 0) ? "-" : "";
  const whole = `${digits < 0n ? -digits : digits}${"0".repeat(zeros)}`;
  const exponent = power - zeros;
  const e = `${["e", "E"][draw(2)]}${exponent >= 0 ? ["", "+"][draw(2)] : "-"}${Math.abs(exponent)}`;
  if (draw(2) === 0) return `${sign}${whole}${exponent === 0 && draw(2) === 0 ? "" : e}`;
  if (exponent >= 0)
    return `${sign}${whole === "0" ? "0" : whole + "0".repeat(exponent)}${[".0", ""][draw(2)]}`;
  const padded = whole.padStart(1 - exponent, "0");
  const before = padded.slice(0, exponent);
  const after = padded.slice(exponent);
  return `${sign}${before.replace(/^0+(?=.)/, "")}.${after}`;
}

function shuffled<Value>(values: readonly Value[], draw: Draw): Value[] {
  const keyed = values.map((value) => ({ value, at: draw(1000) }));
  return keyed.sort((a, b) => a.at - b.at).map(({ value }) => value);
}
