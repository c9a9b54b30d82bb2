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
    sendValid: () => probe.post(probe.untilDigest(() => unprintable(probe))),
  }));
}

function printed(probe: Probe, printer: JsonPrinter): Buffer {
  const text = probe.bodyWith(TELLING).toString("utf8");
  const price = `"purchase_price":${TELLING.purchase_price}`;
  const given = printer.keepsFractions === true ? text.replace(price, `${price}.0`) : text;
  return Buffer.from(printJson(given, printer) ?? "", "utf8");
}

/** The event as no library prints it. It is ASCII, so that a receiver that only misreads characters accepts it. */
function unprintable(probe: Probe): Buffer {
  const text = probe.bodyWith({ address: "@@" }).toString("utf8");
  return Buffer.from(` ${text.replace(":", " :\t").replace('"@@"', '"12\\u002F14 \\u0041"')}\r\n`);
}
