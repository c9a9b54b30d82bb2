import { describe, expect, it } from "vitest";
import { readHeader } from "../../src/signature/header.ts";

const NAME = "x-service-signature";

describe("readHeader", () => {
  it("[case 7] finds a name in any case, in an object without a prototype or a Headers object", () => {
    for (const name of [NAME, "X-Service-Signature", "X-SERVICE-SIGNATURE"]) {
      const bare = Object.assign(Object.create(null), { [name]: "v" }) as Record<string, string>;
      for (const headers of [{ [name]: "v" }, bare, new Headers({ [name]: "v" })]) {
        expect(readHeader(headers, NAME)).toBe("v");
        expect(readHeader(headers, "X-Service-SIGNATURE")).toBe("v");
      }
    }
  });

  it("[case 6] returns what Headers joins of two as one string", () => {
    const headers = new Headers();
    headers.append(NAME, "sha256=aa");
    headers.append(NAME, "sha256=bb");
    expect(readHeader(headers, NAME)).toBe("sha256=aa, sha256=bb");
  });

  it("[case 7] returns an array as it is, even of one, and two spellings of one name as an array", () => {
    expect(readHeader({ [NAME]: ["v"] }, NAME)).toEqual(["v"]);
    const twice = { "x-Service-signature": "a", "X-service-Signature": "b" };
    expect(readHeader(twice, NAME)).toEqual(["a", "b"]);
    expect(readHeader({ "x-Service-signature": undefined, [NAME]: "b" }, NAME)).toEqual(["b"]);
  });

  it("[case 1, 7] returns undefined for a missing header, one on a prototype or one whose name is as long", () => {
    const inherited = Object.create({ [NAME]: "v" }) as Record<string, string>;
    const others = [{ "x-service-signature-2": "v" }, { "content-disposition": "v" }];
    expect("content-disposition").toHaveLength(NAME.length);
    for (const headers of [{}, { [NAME]: undefined }, new Headers(), inherited, ...others])
      expect(readHeader(headers as Record<string, string>, NAME)).toBeUndefined();
    for (const name of ["__proto__", "toString", "constructor"])
      expect(readHeader({}, name)).toBeUndefined();
    const odd = JSON.parse(`{"__proto__":"evil","content-disposition":"a","${NAME}":"v"}`);
    expect(readHeader(odd, NAME)).toBe("v");
  });
});
