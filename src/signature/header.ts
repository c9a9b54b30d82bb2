/**
 * Headers as provided by Node, Express, `fetch` or a Lambda event. Names are matched
 * case-insensitively.
 */
export type HeaderBag = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads one header: returns its value, an array if it has several, or `undefined`. Only own keys
 * count, so a header or prototype named `__proto__` is not found. Two spellings of one name count
 * as an array.
 */
export function readHeader(
  headers: HeaderBag,
  name: string,
): string | readonly string[] | undefined {
  // Detected by its method, since naming the class `Headers` would load all of Node's `fetch` on
  // the first delivery.
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const wanted = name.toLowerCase();
  const found: string[] = [];
  for (const key of Object.keys(headers)) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) found.push(key);
  }
  const [first] = found;
  if (first === undefined) return undefined;
  return found.length === 1 ? headers[first] : found.flatMap((key) => headers[key] ?? []);
}

/**
 * All headers with their values, in one pass: looking up each name takes quadratic time, and anyone
 * can send thousands.
 */
export function headerEntries(
  headers: HeaderBag,
): readonly (readonly [name: string, value: string | readonly string[] | undefined])[] {
  return isHeaders(headers) ? [...headers] : Object.entries(headers);
}

function isHeaders(headers: HeaderBag): headers is Headers {
  return typeof headers.get === "function";
}
