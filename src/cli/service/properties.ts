import type { Command } from "commander";
import type { Page } from "../../client/page.ts";
import type { SelectedProperty } from "../../client/property.ts";
import type { CliContext } from "../context.ts";
import { type FitTable, fitOptions } from "../settings/fitting.ts";
import { openClient } from "./client.ts";
import type { ServiceOptions } from "./options.ts";
import { propertyTable } from "./property-table.ts";

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
const FITTING_FLAGS: FitTable<PropertiesOptions> = { page: { excludes: ["all"] } };

/** `properties`: one page, or all of them. */
export async function listProperties(
  given: PropertiesOptions,
  command: Command,
  context: CliContext,
): Promise<void> {
  const options = fitOptions(given, command, FITTING_FLAGS);
  const { fields, page, perPage, all, timeout } = options;
  const { output } = context;
  const client = openClient(options, { timeout, assumptions: assumptionsOf(options) }, context);
  const found: SelectedProperty[] = [];
  let last: Page<SelectedProperty> | undefined;
  for await (last of client.properties.pages({ fields, page, perPage })) {
    for (const property of last.data) output.record("property", { property });
    const { meta, data } = last;
    output.record("page", { page: meta.page, perPage: meta.per_page, total: meta.total, shown: data.length });
    found.push(...last.data);
    if (all !== true) break;
  }
  if (fields !== undefined && found.length > 0 && !found.some((one) => fields.some((name) => name in one))) {
    output.talk(
      "warning: the service returned none of these fields: check their names and the assumed separator (--fields-separator)",
    );
  }
  for (const line of propertyTable(found, output.color, fields)) output.data(line);
  if (last !== undefined) output.talk(summary(found.length, last, { environment: client.environment, all }));
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
  { meta }: Page<SelectedProperty>,
  { environment, all }: { environment: string; all: boolean | undefined },
): string {
  const { total, page, per_page: size } = meta;
  const part =
    all === true || shown >= total ? "all" : `page ${page}, ${size} per page; --all fetches every page`;
  return `${shown} of ${total} properties, ${environment} environment (${part})`;
}
