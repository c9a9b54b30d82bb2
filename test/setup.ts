import { vi } from "vitest";
import { PATIENCE } from "./patience.ts";

const marked = vi as typeof vi & { isPatient?: boolean };
// Once, although it is run for each file: files share what they import.
if (marked.isPatient !== true) {
  marked.isPatient = true;
  const { waitFor, waitUntil } = vi;
  vi.waitFor = (look, options) => waitFor(look, patiently(options));
  vi.waitUntil = (look, options) => waitUntil(look, patiently(options));
}

function patiently<Options extends object>(options: number | Options | undefined) {
  return typeof options === "number" ? options : { timeout: PATIENCE, ...options };
}
