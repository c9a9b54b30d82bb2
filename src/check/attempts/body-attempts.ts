import { bodyVariants } from "../../signature/diagnose/body-variants.ts";
import { JSON_PRINTERS, type JsonPrinter, printJson } from "../../signature/diagnose/json-printers.ts";
import type { Probe } from "../probe.ts";
import type { Attempt } from "./attempt.ts";

/** Text that every printer writes in its own way, if it does not write it like all others. */
const TELLING = {
  address: "12/14 rue de l’Église, <Zürich> & 'Sons' = 1 + 1",
  purchase_price: 385000,
};

/** The event as each library prints it, correctly signed: refused, unless it is what the receiver prints itself. */
export function spellingAttempts(probe: Probe): readonly Attempt[] {
  return JSON_PRINTERS.map((printer) => ({
    cause:
      `The receiver does not verify the raw body, but JSON made from it, as ${printer.name} prints it: valid deliveries ` +
      "that are serialised differently are refused. Read the body as bytes before any parser, verify those, then parse: " +
      `${printer.raw}.`,
    send: () => probe.post(probe.untilDigest(() => printed(probe, printer))),
  }));
}

function printed(probe: Probe, printer: JsonPrinter): Buffer {
  const text = telling(probe).toString("utf8");
  const price = `"purchase_price":${TELLING.purchase_price}`;
  const given = printer.keepsFractions === true ? text.replace(price, `${price}.0`) : text;
  return Buffer.from(printJson(given, printer) ?? "", "utf8");
}

/** The event, spelt as no library prints it, and correctly signed. */
export function unprintable(probe: Probe): Buffer {
  return probe.untilDigest(() => {
    const text = telling(probe).toString("utf8");
    return Buffer.from(
      ` ${text.replace(":", " :\t").replace("385000", "3850.00e2").replace("12/14", "12\\u002F14")}\r\n`,
    );
  });
}

/** The event with the signature of what a receiver may verify in place of the body, such as an empty text. */
export function bodyAttempts(probe: Probe): readonly Attempt[] {
  const body = telling(probe);
  return bodyVariants(body).variants.flatMap(({ causes, bytes: make }) => {
    const [cause] = causes;
    const bytes = make();
    if (cause === undefined || bytes === undefined || causes.length > 1 || cause.code.startsWith("json_"))
      return [];
    const { meaning, detail, fix } = cause;
    const where = detail === null ? "" : ` (${detail.replaceAll("on the signing side", "in the receiver")})`;
    const signature = probe.sign(bytes);
    return [
      {
        cause: `The receiver does not verify the raw body: ${meaning.replace("the signed body", "what it verifies")}${where}. Read the body as bytes before any parser, and verify those; ${fix}.`,
        send: () => probe.post(body, { signature }),
      },
    ];
  });
}

function telling(probe: Probe): Buffer {
  return probe.bodyWith(TELLING);
}
