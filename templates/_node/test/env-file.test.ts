import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadEnvFile } from "../src/env-file.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "env-file-"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("a byte order mark is no part of the first name, and variables that are set are kept", () => {
  vi.stubEnv("FIRST", undefined);
  vi.stubEnv("SECOND", "set before");
  const path = join(folder, ".env");
  writeFileSync(path, "\uFEFFFIRST=1\nSECOND=2\n");
  loadEnvFile(path);
  expect([process.env.FIRST, process.env.SECOND]).toEqual(["1", "set before"]);
});

test("a missing file is no error", () => {
  expect(() => loadEnvFile(join(folder, ".env"))).not.toThrow();
});
