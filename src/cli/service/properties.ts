import type { Command } from "commander";
import type { Environment } from "../../client/credential.ts";
import type { PageMeta } from "../../client/page.ts";
import type { CliContext } from "../context.ts";
import { type FitTable, fitOptions } from "../settings/fitting.ts";
import { openClient } from "./client.ts";
import { SERVICE_FITS, type ServiceOptions } from "./options.ts";
import { PagePrinter } from "./page-printer.ts";

/** The options of `properties`. */
export interface PropertiesOptions extends ServiceOptions {
  readonly fields?: readonly string[];
  readonly page?: number;
  readonly perPage?: number;
  readonly all?: boolean;
  readonly pageParameter?: string;
  readonly perPageParameter?: string;
  readonly fieldsSeparator?: string;
  readonly timeout?: number;
}

/** Which flags of `properties` can be combined. */
const FITTING_FLAGS: FitTable<PropertiesOptions> = { page: { excludes: ["all"] }, ...SERVICE_FITS };

/** `properties`: one page, or all of them; each is printed as it arrives, and none is kept. */
export async function listProperties(
  given: PropertiesOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  const options = fitOptions(given, command, FITTING_FLAGS);
  const { fields, page, perPage, all, timeout } = options;
  const { output } = context;
  const client = openClient(options, { timeout, assumptions: assumptionsOf(options) }, context);
  const printer = new PagePrinter(fields, context);
  const progress = all === true ? openPageProgress(context) : undefined;
  try {
    for await (const found of client.properties.pages({ fields, page, perPage })) {
      progress?.clear();
      printer.print(found);
      if (all !== true) break;
      progress?.show(`${printer.shown} of ${found.meta.total} properties`);
    }
  } catch (thrown) {
    progress?.clear();
    if (printer.last !== undefined)
      output.talk(`incomplete: ${printer.shown} of ${printer.last.total} properties were printed`);
    throw thrown;
  }
  progress?.clear();
  printer.warn();
  const { environment } = client;
  if (printer.last !== undefined) output.talk(summary(printer.shown, printer.last, { environment, all }));
}

function assumptionsOf({ pageParameter, perPageParameter, fieldsSeparator }: PropertiesOptions): object {
  return {
    ...(pageParameter !== undefined && { pageParameter }),
    ...(perPageParameter !== undefined && { perPageParameter }),
    ...(fieldsSeparator !== undefined && { fieldsSeparator }),
  };
}

function summary(
  shown: number,
  { total, page, per_page: size }: PageMeta,
  { environment, all }: { environment: Environment; all: boolean | undefined },
): string {
  const part =
    all === true || shown >= total ? "all" : `page ${page}, ${size} per page; --all fetches every page`;
  const where = environment === "unknown" ? "" : `, ${environment} environment`; // an access token does not say
  return `${shown} of ${total} properties${where} (${part})`;
}

/** A line on the terminal that says how far a list has come. */
interface PageProgress {
  /** Shows the line, or changes it in place. */
  show(text: string): void;
  /** Removes the line, so that others can be printed. */
  clear(): void;
}

const NONE: PageProgress = { show: () => {}, clear: () => {} };

/** Opens a progress line on standard error: only on a terminal that can change a line in place. */
function openPageProgress({ io }: Pick<CliContext, "io">): PageProgress {
  if (!io.isTTY.stderr || io.env.TERM === "dumb") return NONE;
  let shown = false;
  const clear = () => {
    if (shown) io.stderr.write("\u001b[2K");
    shown = false;
  };
  return {
    show: (text) => {
      clear();
      io.stderr.write(`${text}\r`); // the cursor goes back, so that any other message overwrites the line
      shown = true;
    },
    clear,
  };
}
