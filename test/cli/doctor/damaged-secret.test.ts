import { expect, it } from "vitest";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

const GOOD = "8f1c2d3e4b5a69788f1c2d3e4b5a6978";

async function findingsOf(file: string) {
  const cwd = folderWith({ ".env": file });
  const { records } = await runCli(["doctor", "--json"], { cwd, env: {} });
  const found = records.filter((record) => record.check === "secret");
  return found.map(({ status, message }) => `${status}: ${message}`).join("\n");
}

it.each([
  ["quotes", `'"${GOOD}"'`, /quotes around it/],
  ["curly quotes", `“${GOOD}”`, /quotes around it/],
  ["a quote alone", `'${GOOD}"'`, /a quote at one end/],
  ["white space", `' ${GOOD}'`, /white space around it/],
  ["a space that does not break", `${GOOD}\u00a0`, /white space around it/],
  ["an invisible character", `${GOOD}\u200b`, /invisible/],
  ["a line break as text", `'${GOOD}\\n'`, /as text/],
  ["the prefix of the signature", `sha256=${GOOD}`, /name or a prefix/],
  ["another variable's name", `WEBHOOK_SECRET=${GOOD}`, /name or a prefix/],
  ["Bearer", `"Bearer ${GOOD}"`, /name or a prefix/],
  ["a reference", "$" + "{WEBHOOK_SECRET}", /reference/],
  ["a template", "{{ secrets.WEBHOOK }}", /reference/],
  ["a placeholder", "<your-secret-goes-here>", /placeholder/],
  ["a comment", `'${GOOD} # production'`, /comment/],
  ["a semicolon", `${GOOD};`, /punctuation/],
  ["what follows #", `${GOOD}#tail`, /before the #/],
  ["two values", `${GOOD}\nHOOKPORTER_SECRET=${GOOD}x`, /set 2 times/],
])("doctor names %s in or around the secret", async (_, value, message) => {
  const found = await findingsOf(`HOOKPORTER_SECRET=${value}\n`);
  expect(found).toMatch(message);
  expect(found).not.toContain(GOOD);
});

it.each([
  GOOD,
  `"${GOOD}"`,
  `${GOOD} # a comment`,
  "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Cg==",
  "p#ss:w/rd+0123=4567_$89",
])("doctor finds nothing wrong with %j", async (value) => {
  const quoted = value.startsWith("p") ? `'${value}'` : value;
  expect(await findingsOf(`HOOKPORTER_SECRET=${quoted}\n`)).toMatch(/^ok: /);
});
