import { trimEndOf } from "../../base/text/trim-end.ts";
import { type BodyVariant, variant } from "./body-variant.ts";
import { type Cause, cause } from "./causes.ts";
import { UTF16 } from "./charset-variants.ts";

const BOM = "\uFEFF";

/** One choice of how a text is written, with its causes. */
interface Choice {
  readonly causes: readonly Cause[];
  readonly make: (text: string) => string;
}

/**
 * The same text with another byte order mark, other line breaks and another end, and all that in
 * UTF-16, too: editors, shells and PowerShell change several of them at once.
 */
export function lineVariants(text: string): readonly BodyVariant[] {
  const marked = text.startsWith(BOM);
  const whole = marked ? text.slice(1) : text;
  const last = whole.slice(-100);
  const end = last.slice(trimEndOf(last, "\r\n").length);
  const inner = whole.slice(0, whole.length - end.length);
  const lines = breaksOf(inner).flatMap((breaks) =>
    endsOf(end, breaks).map((ending) => ({
      causes: [...breaks.causes, ...ending.causes],
      make: () => breaks.make(inner) + ending.end,
    })),
  );
  return lines.flatMap(({ causes, make }) => {
    const utf8 = [marked, !marked].map((mark) => ({
      causes: mark === marked ? [] : [markCause(mark)],
      make: (made: string) => (mark ? BOM + made : made),
    }));
    const inUtf8 = utf8.map((mark) =>
      variant([...mark.causes, ...causes], () => mark.make(make())),
    );
    const inUtf16 = UTF16.map(({ detail, encode }) =>
      variant([cause("charset", detail), ...causes], () => encode(make())),
    );
    return [...inUtf8, ...inUtf16].filter((variant) => variant.causes.length > 0);
  });
}

function markCause(mark: boolean): Cause {
  return cause("byte_order_mark", mark ? "one on the signing side" : "none on the signing side");
}

/** How line breaks within the text may have been, and what that makes of the one at its end. */
interface Breaks extends Choice {
  readonly lines: boolean;
  readonly endOf: (end: string) => string;
}

function breaksOf(inner: string): readonly Breaks[] {
  const lines = /[\r\n]/.test(inner);
  const asIs: Breaks = { causes: [], make: (text) => text, lines, endOf: (end) => end };
  if (!lines) return [asIs];
  const made = (detail: string, make: (text: string) => string): Breaks[] =>
    make(inner) === inner
      ? []
      : [{ causes: [cause("line_endings", detail)], make, lines, endOf: make }];
  return [
    asIs,
    ...made("LF on the signing side", (text) => text.replaceAll("\r\n", "\n")),
    ...made("CRLF on the signing side", (text) => text.replace(/\r?\n/g, "\r\n")),
    ...made("none on the signing side", (text) => text.replace(/[\r\n]+/g, "")),
  ];
}

/** How the end may have been; the end that goes with the line breaks is no cause besides. */
function endsOf(
  end: string,
  { endOf }: Breaks,
): readonly { causes: readonly Cause[]; end: string }[] {
  const own = endOf(end);
  return [own, ...["", "\n", "\r\n"].filter((other) => other !== own)].map((made) => ({
    causes: made === own ? [] : [cause("newline_at_end", endDetail(own, made))],
    end: made,
  }));
}

function endDetail(own: string, made: string): string {
  if (made === "") return "none on the signing side";
  return own === ""
    ? "one on the signing side"
    : `${made === "\n" ? "LF" : "CRLF"} on the signing side`;
}
