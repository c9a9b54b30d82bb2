import { type Cause, cause } from "./causes.ts";
import { ALGORITHMS, type Algorithm, algorithmOf, type DigestForm } from "./digest-form.ts";
import { converted } from "./form-variants.ts";
import { oddForms } from "./odd-digests.ts";

export interface HeaderReading {
  readonly forms: readonly DigestForm[];
  /** A cause that the value alone proves, whatever the body and the secret. */
  readonly evident: Cause | undefined;
}

/** Fewer digits than this could match by chance. */
const ENOUGH_DIGITS = 8;
/** Honest values are never longer. */
const LONGEST = 1000;

const PREFIX =
  /^(?:(?:hmac[-_]?)?(?:sha|md)[-_]?\d{1,3}(?:[-_/]\d{3})?|v\d|signature|digest|hmac)\s*[=:]+\s*/i;
const OTHER_SCHEME =
  /(?:^|[,;\s])ts?=\d+[,;]\s*[a-z]+\d?=|^v\d+a?,[\w+/=-]+|\bkeyid="|\bsignature="|^\w+=:[\w+/=]+:$|^eyJ[\w-]+\.[\w-]*\.[\w-]+$/i;
/** May also be our signature with a wrong prefix, so it is read first. */
const SLACK = /^v0=[0-9a-f]{64}$/;
const ABSENT = /^(?:undefined|null|none|nan|nil|true|false|\[object \w+\])?$/i;
const SEPARATED_INSIDE = /(?<![0-9a-f])(?:[0-9a-f]{2}[:-]){31}[0-9a-f]{2}(?![0-9a-f])/i;
const HEX_INSIDE =
  /(?<![0-9a-f])(?:[0-9a-f]{128}|[0-9a-f]{96}|[0-9a-f]{64}|[0-9a-f]{56}|[0-9a-f]{40}|[0-9a-f]{32})(?![0-9a-f])/i;

/** Reads a header's value in every format that a signature of these bytes may have. */
export function readForms(header: string | readonly string[]): HeaderReading {
  const values = typeof header === "string" ? splitRepeated(header) : header;
  if (typeof header === "string" && OTHER_SCHEME.test(header.slice(0, LONGEST)))
    return { forms: [], evident: cause("other_scheme") };
  const repeated =
    values.length > 1 || typeof header !== "string" ? [cause("header_repeated")] : [];
  const readings = values.slice(0, 4).map((value) => readOne(value, repeated));
  const forms = readings.flatMap((reading) => reading ?? []);
  if (values.every((value) => SLACK.test(value))) return { forms, evident: cause("other_scheme") };
  const isAbsent = forms.length === 0 && readings.includes(undefined);
  return { forms, evident: isAbsent ? cause("digest_absent") : undefined };
}

/** Node joins repeated headers with a comma. */
function splitRepeated(value: string): readonly string[] {
  const start = value.slice(0, LONGEST);
  const parts = start === start.trim() ? start.split(",").map((part) => part.trim()) : [start];
  return parts.every((part) => /^[\w+/=-]{16,}$/.test(part)) ? parts : [value];
}

/** The forms of one value; `undefined` if it stands for no digest. */
function readOne(value: string, before: readonly Cause[]): readonly DigestForm[] | undefined {
  const start = value.trim().slice(0, LONGEST);
  const unquoted = start.replace(/^(["'])(.*)\1$/, "$2");
  const trimmed = converted(decodeURIComponent, unquoted) ?? unquoted;
  const causes = trimmed === value ? before : [...before, cause("header_extra_text")];
  const { prefixes, rest } = readPrefixes(trimmed);
  if (ABSENT.test(rest)) return undefined;
  const written = [...hexForms(rest), ...base64Forms(rest), ...oddForms(rest)];
  if (written.length === 0) return formInside(trimmed, before);
  const lower = prefixes.map((prefix) => prefix.toLowerCase());
  const upper = lower.join() === prefixes.join() ? [] : [cause("digest_upper_case")];
  return written.map((form) => {
    const shouted = form.causes.some(({ code }) => code === "digest_upper_case") ? [] : upper;
    const prefix = prefixCauses(lower, form.algorithm);
    return { ...form, causes: [...form.causes, ...shouted, ...prefix, ...causes] };
  });
}

function readPrefixes(value: string): { prefixes: readonly string[]; rest: string } {
  const prefixes: string[] = [];
  let rest = value;
  for (let found = PREFIX.exec(rest); found !== null; found = PREFIX.exec(rest)) {
    prefixes.push(found[0]);
    rest = rest.slice(found[0].length);
  }
  return { prefixes, rest };
}

/** Another algorithm with its own prefix is one cause, not two. */
function prefixCauses(prefixes: readonly string[], algorithm: Algorithm): readonly Cause[] {
  const [first, ...others] = prefixes;
  if (first === undefined) return [cause("prefix_missing")];
  if (prefixes.some((prefix) => prefix !== "sha256=" && prefix !== `${algorithm}=`))
    return [cause("prefix_wrong")];
  return others.length > 0 ? [cause("prefix_doubled")] : [];
}

function hexForms(digest: string): readonly DigestForm[] {
  if (!/^[0-9a-f]+$/i.test(digest)) return [];
  const hex = digest.toLowerCase();
  const upper = hex === digest ? [] : [cause("digest_upper_case")];
  const forms: DigestForm[] = [];
  const algorithm = algorithmOf(hex.length);
  if (algorithm !== undefined)
    forms.push({ algorithm, hex, causes: [...algorithmCauses(algorithm), ...upper] });
  if (hex.length >= ENOUGH_DIGITS && hex.length < ALGORITHMS.sha256) {
    const cut = cause("digest_truncated", `${hex.length} of ${ALGORITHMS.sha256} digits`);
    forms.push({ algorithm: "sha256", hex, causes: [cut, ...upper] });
    const lost = (detail: string, print: (digest: string) => string) => {
      forms.push({
        algorithm: "sha256",
        hex,
        print,
        causes: [cause("digest_zeros_lost", detail), ...upper],
      });
    };
    lost("at the start of the digest", withoutZeros);
    lost("at the start of each byte", withoutZerosOfBytes);
  }
  return forms;
}

/** As a program prints it that takes the digest for one number. */
function withoutZeros(digest: string): string {
  return digest.replace(/^0+/, "");
}

/** As a program prints it that prints the numbers of the bytes one after another. */
function withoutZerosOfBytes(digest: string): string {
  return digest.replace(/../g, (pair) => pair.replace(/^0/, ""));
}

function base64Forms(digest: string): readonly DigestForm[] {
  // No base64 of a digest has hex digits alone, and 64 of them would be tried as a SHA-384, too.
  if (!/^(?![0-9a-f]+$)[\w+/-]{22,}={0,2}$/i.test(digest)) return [];
  const bytes = Buffer.from(digest, "base64"); // takes both alphabets
  const url = /[-_]/.test(digest) || (!/[+/=]/.test(digest) && digest.length % 4 !== 0);
  const code = url ? "digest_base64url" : "digest_base64";
  const text = bytes.toString("latin1");
  if (/^[0-9a-f]{64}$/i.test(text))
    return [
      { algorithm: "sha256", hex: text.toLowerCase(), causes: [cause(code, "of the hex digits")] },
    ];
  const algorithm = algorithmOf(bytes.byteLength * 2);
  if (algorithm === undefined) return [];
  return [
    { algorithm, hex: bytes.toString("hex"), causes: [...algorithmCauses(algorithm), cause(code)] },
  ];
}

/** A digest within other text, such as `(stdin)= ` of `openssl dgst` or the ` -` of `sha256sum`. */
function formInside(value: string, before: readonly Cause[]): readonly DigestForm[] {
  const separated = SEPARATED_INSIDE.exec(value)?.[0];
  const found = separated?.replace(/[:-]/g, "") ?? HEX_INSIDE.exec(value)?.[0];
  const algorithm = algorithmOf(found?.length ?? 0);
  if (found === undefined || algorithm === undefined) return [];
  const prefix = value.startsWith("sha256=") ? [] : [cause("prefix_missing")];
  const upper = found === found.toLowerCase() ? [] : [cause("digest_upper_case")];
  const between = separated === undefined ? [] : [cause("digest_separated")];
  const wrong = [...algorithmCauses(algorithm), ...between, ...upper, ...prefix];
  return [
    {
      algorithm,
      hex: found.toLowerCase(),
      causes: [...wrong, ...before, cause("header_extra_text")],
    },
  ];
}

function algorithmCauses(algorithm: Algorithm): readonly Cause[] {
  return algorithm === "sha256" ? [] : [cause("digest_algorithm", algorithm)];
}
