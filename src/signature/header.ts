/** Headers as Node, Express, `fetch` or a Lambda event give them. Names are matched without regard to case. */
export type HeaderBag = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * One header's value: its text, the array it came as, or `undefined`. Only own keys count, so a header or a prototype
 * named `__proto__` finds nothing; two spellings of one name count as an array.
 */
export function readHeader(headers: HeaderBag, name: string): string | readonly string[] | undefined {
  // Asked for by its method: to name the class `Headers` would load all of Node's `fetch` with the first delivery.
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

function isHeaders(headers: HeaderBag): headers is Headers {
  return typeof headers.get === "function";
}
