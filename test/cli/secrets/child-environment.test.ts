import { expect, it } from "vitest";
import { childEnvironment } from "../../../src/cli/secrets/child-environment.ts";

it("another program gets no secret, in whatever case its variable is written, since Windows finds it in any", () => {
  const env = {
    PATH: "/bin",
    Hookporter_Secret: "a",
    HOOKPORTER_KEY: "b",
    Webhook_Secret: "c",
    ngrok_authtoken: "d",
  };
  expect(childEnvironment({ env }, { secretEnv: ["WEBHOOK_SECRET"] })).toEqual({ PATH: "/bin" });
});
