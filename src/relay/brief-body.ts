/** How many characters of a body are looked at. */
const LOOKED_AT = 8192;

/** How many characters of a page are shown: its title says what happened. */
const PAGE = 120;

/** The characters that every page escapes; any other entity stays as it is. */
const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: " ",
  amp: "&",
};

/**
 * A body in one line: for a page in HTML its title or first words, else the text without line
 * breaks.
 */
export function briefBody(body: string, maxLength = 500): string {
  const text = body.slice(0, LOOKED_AT);
  if (!/^\s*<(?:!doctype html|!--|\?xml|html|head|body|title|h1)/i.test(text))
    return oneLine(text, maxLength);
  // At most 8192 characters: the slice above.
  const [, head = "", rest = text] = /<title[^>]*>(.*?)<\/title>(.*)/is.exec(text) ?? [];
  const title = oneLine(words(head), PAGE);
  if (title.includes(" ")) return title;
  // a single word, such as Error, says nothing
  return oneLine(`${title === "" ? "" : `${title}: `}${words(rest)}`, PAGE);
}

/** The words of a part of a page. */
function words(html: string): string {
  return (
    html
      // At most 8192 characters: a part of that slice.
      .replace(/<(script|style)\b.*?<\/\1\s*>|<!--.*?-->|<[^>]*>/gis, " ")
      .replace(/&(lt|gt|quot|#39|nbsp|amp);/g, (_, name: string) => ENTITIES[name] ?? "")
  );
}

function oneLine(text: string, maxLength: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength).trimEnd()}…` : line;
}
