import { runCli } from "./fake-io.ts";

/** The variables with which a person agrees, in CI, to what a folder's files would like to set. */
export async function consentTo(cwd: string, env: Readonly<Record<string, string>> = {}) {
  const { records } = await runCli(["trust", "--json"], { cwd, env });
  const hash = records.find(({ type }) => type === "trust")?.hash;
  if (typeof hash !== "string") throw new Error("nothing in this folder needs consent");
  return { HOOKPORTER_TRUST: hash };
}
