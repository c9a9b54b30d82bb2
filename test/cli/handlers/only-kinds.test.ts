import fc from "fast-check";
import { expect, it } from "vitest";
import { narrow, onlyKinds } from "../../../src/cli/handlers/only-kinds.ts";
import { eventKinds } from "../../../src/entries/index.ts";
import { matchesKind } from "../../../src/event/kind-pattern.ts";
import { Router } from "../../../src/receiver/handlers/router.ts";

const kinds = [...eventKinds, "payment.refunded", "lease.signed", "other"];
const patterns = fc.constantFrom("*", "payment.*", "property.*", "contact.*", ...eventKinds);

it("a pattern is narrowed to its wanted kinds, without duplicates", () => {
  fc.assert(
    fc.property(patterns, fc.array(patterns, { minLength: 1, maxLength: 5 }), (pattern, wanted) => {
      const parts = narrow(pattern, wanted);
      for (const kind of kinds) {
        const common = matchesKind(pattern, kind) && wanted.some((one) => matchesKind(one, kind));
        expect(parts.filter((part) => matchesKind(part, kind))).toHaveLength(common ? 1 : 0);
      }
    }),
  );
});

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
