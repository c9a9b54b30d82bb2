import { expect, it } from "vitest";
import { plantAndFix } from "./fault.ts";
import { HANDLING_FAULTS } from "./faults/handling.ts";
import { INBOX_FAULTS } from "./faults/inbox.ts";
import { PORT_FAULTS } from "./faults/port.ts";
import { SECRET_FAULTS } from "./faults/secret.ts";
import { SERVICE_FAULTS } from "./faults/service.ts";
import { TUNNEL_FAULTS } from "./faults/tunnel.ts";
import { diagnose, openPlace } from "./place.ts";

const FAULTS = [
  ...[
    SECRET_FAULTS,
    INBOX_FAULTS,
    PORT_FAULTS,
    HANDLING_FAULTS,
    TUNNEL_FAULTS,
    SERVICE_FAULTS,
  ].flat(),
];

it("at least twenty faults are planted", () => {
  expect(FAULTS.length).toBeGreaterThanOrEqual(20);
});

it("doctor finds nothing wrong before a fault is planted", async () => {
  expect(await diagnose(await openPlace())).toMatchObject({ code: 0, wrong: [] });
});

it.each(FAULTS.map((fault) => [fault.title, fault] as const))(
  "doctor finds %s, and nothing else, and its fix works",
  async (_, fault) => {
    await plantAndFix(fault);
  },
);
