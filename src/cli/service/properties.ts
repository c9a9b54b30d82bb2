import type { Command } from "commander";
import { counted } from "../../base/text/counted.ts";
import { problemLine } from "../../event/data-problems.ts";
import { memberAt } from "../../event/field-path.ts";
import type { AssumptionOptions } from "../../service/client/assumptions.ts";
import type { PageMeta } from "../../service/client/page.ts";
import type { CliContext } from "../context.ts";
import { printable } from "../output.ts";
import { type OptionConflicts, resolveOptionConflicts } from "../settings/fitting.ts";
import { columnsOf, cutBetween, padToColumns } from "../wrap-text.ts";
import { openClient } from "./client.ts";
import { SERVICE_FITS, type ServiceOptions } from "./service-options.ts";

export interface PropertiesOptions extends ServiceOptions, AssumptionOptions {
  readonly fields?: readonly string[];
  readonly page?: number;
  readonly perPage?: number;
  readonly all?: boolean;
  readonly timeout?: number;
}

const FITTING_FLAGS: OptionConflicts<PropertiesOptions> = {
  page: { excludes: ["all"] },
  ...SERVICE_FITS,
};

/** The fields that the service's description shows, in its order. */
const DESCRIBED = [
  "id",
  "type",
  "address",
  "surface",
  "rooms",
  "rent",
  "yield",
  "tenant.name",
  "tenant.lease_start",
];

const MAX_CELL = 40;

/** `properties`: one page, or all of them; each is printed as it arrives, and none is kept. */
export async function listProperties(
  given: PropertiesOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  const options = resolveOptionConflicts(given, command, FITTING_FLAGS);
  const { fields, page, perPage, all, timeout, pageParameter, perPageParameter, fieldsSeparator } =
    options;
  const { output } = context;
  const assumptions = { pageParameter, perPageParameter, fieldsSeparator };
  const client = openClient(options, { timeout, assumptions }, context);
  /** The paths of the values, and the widths so far, which grow when they must. */
  const columns = (fields ?? DESCRIBED).map((name) => ({ name, width: columnsOf(name) }));
  const misfits: string[] = [];
  let shown = 0;
  let last: PageMeta | undefined;
  let complete = false;
  let isCut = false;
  /**
   * Prints a row; one of the usual columns that a terminal has no room for would wrap, and the
   * table with it.
   */
  const print = (row: readonly string[], colour = (text: string) => text) => {
    const cells = row.map((text, index) => padToColumns(text, columns[index]?.width ?? 0));
    const line = cells.join("  ").trimEnd();
    const shown = fields === undefined ? cutBetween(line, "  ", output.columns ?? Infinity) : line;
    isCut ||= shown !== line;
    output.data(colour(shown));
  };
  try {
    for await (const { data, meta } of client.properties.pages({ fields, page, perPage })) {
      for (const { property, problems = null } of data) {
        output.record("property", { property, problems });
        if (problems !== null) misfits.push(problems.map(problemLine).join("; "));
      }
      const { page: number, per_page: perPage, total } = meta;
      output.record("page", { page: number, perPage, total, shown: data.length });
      const rows = data.map(({ property }) => columns.map(({ name }) => textOf(name, property)));
      for (const [index, column] of columns.entries())
        column.width = Math.max(column.width, ...rows.map((row) => columnsOf(row[index] ?? "")));
      const names = columns.map(({ name }) => name);
      if (last === undefined && rows.length > 0) print(names, output.color.dim);
      for (const row of rows) print(row);
      shown += data.length;
      last = meta;
      if (all !== true) break;
    }
    complete = true;
  } finally {
    const { total = 0, page: number, per_page: size } = last ?? {};
    if (misfits.length > 0) {
      output.talk(
        `warning: ${counted(misfits.length, "property contradicts", "properties contradict")} the service's description, ` +
          `such as ${printable(misfits[0] ?? "", 300)}; --json prints the problems of each`,
      );
    }
    // an access token does not say
    const where = client.environment === "unknown" ? "" : `, ${client.environment} environment`;
    const cut = isCut ? "; cut to this terminal: --fields chooses columns" : "";
    const part =
      shown < total && all !== true
        ? `; page ${number}, ${size} per page; --all fetches every page`
        : "";
    if (last !== undefined)
      output.talk(
        `${complete ? "" : "incomplete: "}${shown} of ${total} properties${where}${cut}${part}`,
      );
  }
}

function textOf(path: string, property: unknown): string {
  const value = memberAt(property, path.split("."));
  if (value === undefined || value === null) return "-";
  return printable(typeof value === "string" ? value : JSON.stringify(value), MAX_CELL);
}
