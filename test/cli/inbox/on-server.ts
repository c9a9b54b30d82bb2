import { describe, it } from "vitest";
import { openServer } from "../../inbox/postgres/schemas.ts";
import { NO_SERVER } from "../../inbox/postgres/server.ts";

/**
 * Tests on a PostgreSQL server, which are skipped where there is none. `urlOf` is the URL of an
 * inbox in a schema of the server, or of one in front of it, with other parts where given.
 *
 * @param own - settings of a server that is started here
 */
export function describeOnServer(
  title: string,
  own: Readonly<Record<string, string>>,
  tests: (opened: Awaited<ReturnType<typeof openOnServer>>) => unknown,
): void {
  describe(title, async () => {
    if (NO_SERVER === undefined) await tests(await openOnServer(own));
    else it.skip(NO_SERVER, () => {});
  });
}

async function openOnServer(own: Readonly<Record<string, string>>) {
  const opened = await openServer(own);
  const urlOf = (schema: string, parts: Partial<URL> = {}, base = opened.server.url) => {
    const url = Object.assign(new URL(base), parts);
    url.searchParams.set("schema", schema);
    return url.href;
  };
  return { ...opened, urlOf };
}
