/**
 * Adds a dependency to the text of a package.json as npm does: sorted by name, with the text's own
 * indentation and line ends. A package that the section has already stays as it is.
 */
export function addDependency(text: string, section: string, name: string, range: string): string {
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const json = text.slice(bom.length).trimEnd();
  const end = text.slice(bom.length + json.length);
  const [, line = "\n", unit = "  "] = /(\r?\n)([ \t]+)"/.exec(json) ?? [];
  const manifest = JSON.parse(json);
  const entries = Object.entries({ [name]: range, ...manifest[section] });
  const sorted = Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b, "en")));
  const made = JSON.stringify({ ...manifest, [section]: sorted }, null, unit);
  return bom + made.replaceAll("\n", line) + end;
}
