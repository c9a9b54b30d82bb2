const NAME = String.raw`(?:[A-Z]\w*(?:<(?:[^<>]|<[^<>]*>)*>)?|void|string|object)(?: \| undefined)?`;

/** What the templates have of types, from the largest to the smallest. */
const TYPES: readonly RegExp[] = [
  /^import type .*\n+?/gm,
  /^(?:\/\*\*.*\*\/\n)?export type .*\n/gm,
  /^ +type \w+,\n/gm,
  /, type \w+/g,
  / as (?:const|typeof \w+ & \{[^{}]*\})/g,
];

/** A name or a bracket, and the type after it. */
const ANNOTATED = new RegExp(
  `(^let \\w+|^(?:export )?const \\w+|\\)|[(,] ?\\w+): ${NAME}(?=[,;)]| [={])`,
  "gm",
);

/**
 * A file of the templates as JavaScript. It knows the types that they have, not the whole language.
 */
export function withoutTypes(text: string): string {
  const values = TYPES.reduce((left, type) => left.replaceAll(type, ""), text);
  return values.replaceAll(ANNOTATED, "$1").trimStart();
}
