import { describe, expect, it } from "vitest";
import { readHeader } from "../../src/signature/header.ts";

const NAME = "x-service-signature";

describe("readHeader", () => {
  it.each([
    ["lower case", { [NAME]: "v" }],
    ["title case", { "X-Service-Signature": "v" }],
    ["upper case", { "X-SERVICE-SIGNATURE": "v" }],
  ])("[case 7] finds a name in %s", (_, headers) => {
    expect(readHeader(headers, NAME)).toBe("v");
    expect(readHeader(headers, "X-Service-SIGNATURE")).toBe("v");
  });

  it("[case 7] reads a Headers object", () => {
    expect(readHeader(new Headers({ "X-Service-Signature": "v" }), NAME)).toBe("v");
    expect(readHeader(new Headers(), NAME)).toBeUndefined();
  });

  it("[case 6] returns what Headers joins of two as one string", () => {
    const headers = new Headers();
    headers.append(NAME, "sha256=aa");
    headers.append(NAME, "sha256=bb");
    expect(readHeader(headers, NAME)).toBe("sha256=aa, sha256=bb");
  });

  it("[case 7] returns an array as an array, even of one", () => {
    expect(readHeader({ [NAME]: ["v"] }, NAME)).toEqual(["v"]);
  });

  it("[case 7] returns two spellings of one name as an array", () => {
    expect(readHeader({ "x-Service-signature": "a", "X-service-Signature": "b" }, NAME)).toEqual([
      "a",
      "b",
    ]);
    expect(readHeader({ "x-Service-signature": undefined, [NAME]: "b" }, NAME)).toEqual(["b"]);
  });

  it("[case 1] returns undefined for a missing header", () => {
    expect(readHeader({}, NAME)).toBeUndefined();
    expect(readHeader({ [NAME]: undefined }, NAME)).toBeUndefined();
    expect(readHeader({ "x-service-signature-2": "v" }, NAME)).toBeUndefined();
  });

  it("[case 7] takes no other header for the signature because its name is as long", () => {
    const other = "content-disposition";
    expect(other).toHaveLength(NAME.length);
    expect(readHeader({ [other]: "v" }, NAME)).toBeUndefined();
    expect(readHeader({ [other]: "other", [NAME]: "v" }, NAME)).toBe("v");
  });

  it("[case 7] finds nothing on a prototype", () => {
    const inherited = Object.create({ [NAME]: "v" }) as Record<string, string>;
    expect(readHeader(inherited, NAME)).toBeUndefined();
    expect(readHeader({}, "__proto__")).toBeUndefined();
    expect(readHeader({}, "toString")).toBeUndefined();
    expect(readHeader({}, "constructor")).toBeUndefined();
  });

  it("[case 7] reads a bag with a header named __proto__ without harm", () => {
    const headers = JSON.parse(`{"__proto__":"evil","${NAME}":"v"}`) as Record<string, string>;
    expect(readHeader(headers, NAME)).toBe("v");
  });

  it("reads a bag without a prototype", () => {
    const headers: Record<string, string> = Object.assign(Object.create(null), { [NAME]: "v" });
    expect(readHeader(headers, NAME)).toBe("v");
  });
});
