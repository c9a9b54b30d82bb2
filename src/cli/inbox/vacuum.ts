import { ConfigurationError } from "../../base/errors.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { readPostgresOptions } from "../../inbox/postgres/postgres-options.ts";
import { isPostgresUrl } from "../../inbox/postgres/postgres-url.ts";
import { vacuumFile } from "../../inbox/sqlite/care/vacuum.ts";
import type { CliContext } from "../context.ts";
import { requireInbox } from "../events/inbox.ts";
import { nameInbox } from "./named-inbox.ts";
import { printWhichInbox } from "./which-inbox.ts";

export async function vacuumInbox(
  options: { readonly inbox?: string },
  context: CliContext,
): Promise<void> {
  const { output } = context;
  const named = nameInbox(context, options.inbox);
  if (isPostgresUrl(named.option)) {
    const { schema } = readPostgresOptions(named.option, {});
    throw new ConfigurationError(
      "inbox_unsupported",
      `expected an inbox file, got ${named.shown}: PostgreSQL reuses space by itself; ` +
        `to do it now, run in psql: VACUUM (VERBOSE, ANALYZE) ${schema}.entry`,
    );
  }
  requireInbox(named, "change", context);
  await printWhichInbox(named.option, context);
  const { path, before, after } = vacuumFile(named.option);
  output.data(`${path}: ${sizeText(before)} before, ${sizeText(after)} now`);
  output.record("vacuum", { inbox: path, before, after });
}
