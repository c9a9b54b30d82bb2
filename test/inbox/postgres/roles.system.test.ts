import { it } from "vitest";
import { describeRoleProcesses } from "../role-processes.ts";
import { openServer } from "./schemas.ts";
import { NO_SERVER } from "./server.ts";

if (NO_SERVER !== undefined) {
  it.skip(`processes of several roles on a server, ${NO_SERVER}`, () => {});
} else {
  const { server, newSchema, open } = await openServer();

  describeRoleProcesses("a server", () => {
    const schema = newSchema();
    return { path: server.url, schema, look: () => open(schema) };
  });
}
