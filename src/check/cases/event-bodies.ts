import type { Probe } from "../probe.ts";

export function text(content: string): Buffer {
  return Buffer.from(content, "utf8");
}

/** A probe's event with something else in place of the mark `@@` in one of its fields. */
export function bodyWithReplacement(
  probe: Probe,
  field: string,
  from: string | RegExp,
  to: string,
): Buffer {
  return text(String(probe.bodyWith({ [field]: "@@" })).replace(from, to));
}

/** A probe's event with a byte in its address that is not UTF-8. */
export function withBadByte(probe: Probe): Buffer {
  const [before = "", after = ""] = String(probe.bodyWith({ address: "@@" })).split("@@");
  return Buffer.concat([text(before), Buffer.from([0xff]), text(after)]);
}

/** The same JSON, pretty-printed. */
export function pretty(body: Buffer): Buffer {
  return text(JSON.stringify(JSON.parse(String(body)), null, 2));
}

/** The same JSON with its keys in reverse order at every depth. */
export function reordered(body: Buffer): Buffer {
  return text(JSON.stringify(reverse(JSON.parse(String(body)))));
}

function reverse(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reverse(member)]),
  );
}
