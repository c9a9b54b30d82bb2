import { tryOr } from "../../base/try-or.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { cause } from "./causes.ts";

/** The body encoded as a form, or decoded as one. */
export function formVariants(text: string): readonly BodyVariant[] {
  const there = [cause("body_form", "as a form on the signing side")];
  const here = [cause("body_form", "as a form on this side")];
  const spaced = () => new URLSearchParams({ payload: text }).toString();
  const percent = () => converted(encodeURIComponent, text);
  return [
    variant(there, spaced),
    variant(there, () => spaced().slice("payload=".length)),
    variant(there, percent),
    variant(there, () => percent()?.replace(/[!'()*]/g, hexOf)),
    variant(there, () =>
      percent()?.replace(/[!'()*]|%2F/g, (found) => (found === "%2F" ? "/" : hexOf(found))),
    ),
    ...decodedThere(text),
    variant([cause("body_form", "its + became spaces on the way here")], () => {
      return text.includes(" ") && !text.includes("+") ? text.replaceAll(" ", "+") : undefined;
    }),
    variant(here, () => new URLSearchParams(text).get("payload") ?? undefined),
    variant(here, () =>
      /^[\w%.+*~!'()-]+=?$/.test(text) && text.includes("%") ? decodeForm(text) : undefined,
    ),
  ];
}

function decodedThere(text: string): readonly BodyVariant[] {
  const detail = (what: string) => [cause("body_form", `${what} on the signing side`)];
  const spaced = text.replaceAll("+", " ");
  return [
    ...(spaced === text ? [] : [variant(detail("its + became spaces"), () => spaced)]),
    ...(/%[0-9a-f]{2}/i.test(text)
      ? [
          variant(detail("percent-decoded"), () => decodePercent(text)),
          ...(spaced === text
            ? []
            : [variant(detail("decoded as a form"), () => decodePercent(spaced))]),
        ]
      : []),
  ];
}

/** The result of a function of the URL standard; `undefined` for a text that it cannot convert. */
export function converted(convert: (text: string) => string, text: string): string | undefined {
  return tryOr(() => convert(text), undefined);
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function decodeForm(text: string): string | undefined {
  return decodePercent(text.replaceAll("+", " ").replace(/=$/, ""));
}

function decodePercent(text: string): string | undefined {
  return converted(decodeURIComponent, text);
}
