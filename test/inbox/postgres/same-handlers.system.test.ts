import { afterAll, it } from "vitest";
import { describeSameHandlers } from "../../receiver/same-handlers-contract.ts";
import { NO_SERVER, startPostgres } from "./server.ts";

if (NO_SERVER !== undefined) it.skip(`a module of handlers on a server, ${NO_SERVER}`, () => {});
else {
  const server = await startPostgres();
  afterAll(() => server.stop());
  describeSameHandlers("PostgreSQL, on a server", () => server.url);
}
