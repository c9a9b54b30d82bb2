import type { ListedItem } from "../../client/listed-item.ts";
import type { Page, PageMeta } from "../../client/page.ts";
import type { SelectedProperty } from "../../client/property.ts";
import { type DataProblem, problemLine } from "../../event/data-problems.ts";
import type { CliContext } from "../context.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { PropertyTable } from "./property-table.ts";

/** More warnings than this would hide the table. */
const MAX_WARNINGS = 5;

/** Prints pages, and counts what it printed. */
export class PagePrinter {
  readonly #fields: readonly string[] | undefined;
  readonly #output: Output;
  readonly #table: PropertyTable;
  #shown = 0;
  #misfits = 0;
  #anyField = false;
  #last: PageMeta | undefined;

  constructor(fields: readonly string[] | undefined, { output }: CliContext) {
    this.#fields = fields;
    this.#output = output;
    this.#table = new PropertyTable(output.color, fields);
  }

  get shown(): number {
    return this.#shown;
  }

  /** The position of the page that was printed last. */
  get last(): PageMeta | undefined {
    return this.#last;
  }

  print({ data, meta }: Page<ListedItem<SelectedProperty>>): void {
    for (const { property, problems = null } of data) {
      this.#output.record("property", { property, problems });
      this.#anyField ||= this.#fields?.some((name) => hasField(property, name)) === true;
      if (problems !== null) this.#warnOf(property, problems);
    }
    const { page, per_page: perPage, total } = meta;
    this.#output.record("page", { page, perPage, total, shown: data.length });
    for (const line of this.#table.lines(data.map(({ property }) => property))) this.#output.data(line);
    this.#shown += data.length;
    this.#last = meta;
  }

  /** Prints the warnings that concern all pages. */
  warn(): void {
    if (this.#misfits > MAX_WARNINGS) {
      this.#output.talk(
        `warning: ${this.#misfits} properties contradict the service's description; --json prints the problems of each`,
      );
    }
    if (this.#fields === undefined || this.#shown === 0 || this.#anyField) return;
    this.#output.talk(
      "warning: the service returned none of these fields: check their names and the assumed separator (--fields-separator)",
    );
  }

  #warnOf(property: unknown, problems: readonly DataProblem[]): void {
    this.#misfits += 1;
    if (this.#misfits > MAX_WARNINGS) return;
    const id = hasField(property, "id") ? property.id : undefined;
    const name = typeof id === "string" ? printable(id, 60) : "a property without an id";
    const why = printable(problems.map(problemLine).join("; "), 300);
    this.#output.talk(`warning: ${name} contradicts the service's description: ${why}`);
  }
}

function hasField<Name extends string>(
  property: unknown,
  name: Name,
): property is Readonly<Record<Name, unknown>> {
  return typeof property === "object" && property !== null && name in property;
}
