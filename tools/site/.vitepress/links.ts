import files from "../files.json" with { type: "json" };

/** Whether a link leads to a file that is served as it is. */
export function isFile(href: string): boolean {
  return files.some((folder) => href.startsWith(`${folder}/`));
}

/**
 * The anchor of a heading as GitHub makes it, so that a link leads to the same place there and
 * here.
 */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

/**
 * A link between files of the project as the site has it: `docs/` is its root, beside the pages of
 * the project's folder.
 */
export function linkOnSite(href: string): string {
  if (/^[a-z]+:/.test(href)) return href;
  // the project's own, in place of which there is a home page
  if (/^(?:\.\.\/)+README\.md$/.test(href)) return "/";
  return href
    .replace(/^(?:\.\.\/)+(?=[A-Z]+\.md)/, "/")
    .replace(/^docs\//, "/")
    .replace(/^\/README\.md/, "/contents.md");
}
