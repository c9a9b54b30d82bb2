import type { BodyVariant } from "../../../src/signature/diagnose/body-variant.ts";

/**
 * What is named if a body was signed as another one: the causes of each variant that makes it, as
 * one text.
 */
export function named(
  variants: readonly BodyVariant[],
  signed: string | Uint8Array,
): readonly string[] {
  const wanted = Buffer.from(signed as string);
  return variants
    .filter(({ bytes }) => {
      const made = bytes();
      return made !== undefined && wanted.equals(made);
    })
    .map(({ causes }) =>
      causes.map(({ code, detail }) => (detail === null ? code : `${code}: ${detail}`)).join(" + "),
    );
}
