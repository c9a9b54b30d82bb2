/** Licences that let anyone bundle the code if the notice is kept. */
export const PERMISSIVE: readonly string[];
/** The notices of the packages that files belong to. */
export function noticesOf(moduleIds: readonly string[]): string;
/** The same packages as a bill of materials, in CycloneDX's JSON. */
export function sbomOf(
  moduleIds: readonly string[],
  own: Readonly<Record<"name" | "version" | "license", string>>,
): string;
