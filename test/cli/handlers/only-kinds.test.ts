import { expect, it } from "vitest";
import { onlyKinds } from "../../../src/cli/handlers/only-kinds.ts";
import { Router } from "../../../src/receiver/handlers/router.ts";

function registered(wanted: readonly string[]): Router {
  const router = new Router();
  const registry = onlyKinds(router, wanted);
  registry.on("*", () => {});
  registry.on("payment.*", () => {});
  registry.on("payment.*", () => {}, { name: "mine" });
  registry.on("payment.*", () => {});
  registry.onUnknown(() => {});
  return router;
}

const names = (router: Router, kind: string) => router.handlers.match(kind).map(({ name }) => name);

it("handlers of wanted kinds keep their names, with the part added if they have several", () => {
  const plain = registered(["*"]);
  expect(names(plain, "payment.received")).toEqual(["*", "payment.*", "mine", "payment.*#3"]);
  expect(names(plain, "lease.signed")).toEqual(["*", "unknown"]);
  const some = registered(["payment.received", "contact.created"]);
  expect(names(some, "payment.received")).toEqual([
    "* (payment.received)",
    "payment.*",
    "mine",
    "payment.*#3",
  ]);
  expect(names(some, "contact.created")).toEqual(["* (contact.created)"]);
  for (const kind of ["lead.created", "payment.overdue", "lease.signed"])
    expect(names(some, kind)).toEqual([]);
});
