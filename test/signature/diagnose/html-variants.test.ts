import { expect, it } from "vitest";
import { htmlVariants } from "../../../src/signature/diagnose/html-variants.ts";
import { named } from "./named.ts";

const THERE = "body_html: with entities on the signing side";
const HERE = "body_html: with entities on this side";

it.each([
  [`&<>"'`, "&amp;&lt;&gt;&quot;&#39;", THERE],
  [`&<>"'`, "&amp;&lt;&gt;&quot;&#039;", THERE],
  [`&<>"'`, "&amp;&lt;&gt;&quot;&#x27;", THERE],
  [`&<>"'`, "&amp;&lt;&gt;&quot;'", THERE],
  [`&<>"'`, "&amp;&lt;&gt;&#34;&#39;", THERE],
  [`"<"`, "&#34;&lt;&#34;", THERE],
  [`"<"`, "&quot;&lt;&quot;", THERE],
  ["&AMP;&lt;&gt;&quot;&apos;", `&<>"'`, HERE],
  ["&#38;&#x26;&#127;&#128;&#xe9;&amp;lt;", "&&\x7f&#128;&#xe9;&lt;", HERE],
])("names what makes %j from %j: %s", (text, signed, causes) => {
  expect(named(htmlVariants(text), signed)).toEqual([causes]);
});

it("finds no entities in a text without them", () => {
  for (const text of ["a", "a&b", "a; b", "& amp;"])
    expect(htmlVariants(text).map(({ causes }) => causes[0]?.detail)).not.toContain(
      "with entities on this side",
    );
});
