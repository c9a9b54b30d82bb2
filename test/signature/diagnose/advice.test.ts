import { expect, it } from "vitest";
import { adviceFor } from "../../../src/signature/diagnose/advice.ts";
import { cause } from "../../../src/signature/diagnose/causes.ts";
import type { DigestForm } from "../../../src/signature/diagnose/digest-form.ts";
import { readSecrets } from "../../../src/signature/secrets.ts";

const secrets = readSecrets(["a-secret-0123456789", "b-secret-0123456789"]);
const form: DigestForm = { causes: [], algorithm: "sha256", hex: "0".repeat(64) };

/** The words that begin each advice; three are given always. */
function advise(
  body: string,
  { forms = [form], complete = true, headers = {} } = {},
): readonly string[] {
  const advice = adviceFor(Buffer.from(body), forms, secrets, complete, headers);
  const first = advice.findIndex((text) => text.startsWith("compare the secrets"));
  expect(advice.slice(first, first + 3).map((text) => text.split(/[ :]/, 3).join(" "))).toEqual([
    "compare the secrets",
    "check that nothing",
    "check that only",
  ]);
  return advice.toSpliced(first, 3);
}

it.each(["{}", "[]\n", "{}  \n", `{"a":"${"x".repeat(200)}"}`])(
  "advises nothing else of %j",
  (body) => {
    expect(advise(body)).toEqual([]);
    expect(advise(body, { headers: { "Content-Length": String(body.length) } })).toEqual([]);
  },
);

it("says if the header has no digest, and else what is wrong with its form", () => {
  expect(advise("{}", { forms: [] })).toEqual([expect.stringContaining("no readable digest")]);
  const causes = [cause("prefix_missing"), cause("digest_upper_case")];
  expect(advise("{}", { forms: [{ ...form, causes }, form] })).toEqual(
    causes.map(({ meaning, fix }) => `${meaning}, if that is so: ${fix}`),
  );
});

it("says if the body is empty, has lost bytes or has no end", () => {
  expect(advise("")).toEqual([expect.stringContaining("empty here")]);
  for (const body of ["text", '"{"'])
    expect(advise(body)).toEqual([expect.stringContaining("does not begin as JSON")]);
  expect(advise("{\uFFFD}")).toEqual([expect.stringContaining("U+FFFD")]);
  for (const body of ["{", '{"a":[1]', "[", "[{}", `[${"[],".repeat(99)}`])
    expect(advise(body)).toEqual([expect.stringContaining("has no end")]);
});

it("says if the length is another one, which a header may say once, in digits", () => {
  const saying = (length: string | string[]) =>
    advise("{}", { headers: { "content-length": length } });
  expect(saying("3")).toEqual([expect.stringContaining("says 3 bytes, but there are 2")]);
  expect([saying("3 bytes"), saying("x3"), saying(["3", "3"])]).toEqual([[], [], []]);
});

it("says last that not everything was tried", () => {
  expect(advise("{}", { complete: false })).toEqual([
    expect.stringContaining("not every combination"),
  ]);
});

it("names the fingerprint of each secret", () => {
  const advice = adviceFor(Buffer.from("{}"), [form], secrets, true);
  expect(advice[0]).toContain(secrets.map(({ fingerprint }) => fingerprint).join(", "));
});
