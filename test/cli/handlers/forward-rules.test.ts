import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type ForwardRule,
  forwardedKinds,
  registerForwards,
} from "../../../src/cli/handlers/forward-rules.ts";
import { onlyKinds } from "../../../src/cli/handlers/only-kinds.ts";
import { readForward } from "../../../src/cli/handlers/values.ts";
import { eventKinds } from "../../../src/entries/index.ts";
import { matchesKind } from "../../../src/event/kind-pattern.ts";
import { Router } from "../../../src/receiver/handlers/router.ts";

const patterns = fc.constantFrom(null, "*", "payment.*", "payment.received", "lead.created");
const targets = fc.constantFrom("http://a.test/1", "http://a.test/1?q=2", "http://b.test/");
const rule = fc.record({ pattern: patterns, target: targets.map((text) => new URL(text)) });
const rules = fc.array(rule, { minLength: 1, maxLength: 6 });
const pattern = fc.constantFrom("*", "payment.*", "property.*", "payment.received", "lead.created");
const wanted = fc.array(pattern, { minLength: 1, maxLength: 5 });

/** The targets of an event according to the rules, as documented. */
function destinations(given: readonly ForwardRule[], kind: string): Set<string> {
  const fitting = given.filter(({ pattern }) => pattern !== null && matchesKind(pattern, kind));
  const chosen = fitting.length > 0 ? fitting : given.filter(({ pattern }) => pattern === null);
  return new Set(chosen.map(({ target }) => target.href));
}

it("an event goes once to each target with a matching pattern, else once to each target without one", () => {
  fc.assert(
    fc.property(rules, wanted, (given, events) => {
      const router = new Router();
      registerForwards(onlyKinds(router, events), given, {});
      for (const kind of [...eventKinds, "payment.refunded", "lease.signed"]) {
        const isWanted = events.some((event) => matchesKind(event, kind));
        const expected = isWanted ? [...destinations(given, kind)] : [];
        const names = router.handlers.match(kind).map(({ name }) => name);
        expect(names).toHaveLength(expected.length);
        for (const href of expected) {
          const { origin, pathname } = new URL(href);
          expect(names.some((name) => name.includes(`to ${origin}${pathname}`))).toBe(true);
        }
      }
    }),
  );
});

it("a target is named after its address, without its query or its position", () => {
  const names = (...texts: string[]) => {
    const router = new Router();
    const given = texts.flatMap((text) => readForward(text));
    registerForwards(router, given, {});
    return router.handlers.match("payment.received").map(({ name }) => name);
  };
  const there = names("3000/in?token=abc", "3001");
  expect(there).toEqual([
    "forward to http://127.0.0.1:3000/in",
    "forward to http://127.0.0.1:3001/",
  ]);
  expect(names("3001", "3000/in?token=abc").sort()).toEqual(there);
  expect(new Set(names("3000/in?a", "3000/in?b")).size).toBe(2);
});

it("the wanted kinds that any target receives are known", () => {
  for (const [texts, events, kinds] of [
    [["3000", "payment.*=3001"], ["*"], ["*"]],
    [["payment.*=3001", "lead.created=3002"], ["*"], ["payment.*", "lead.created"]],
    [["payment.*=3001"], ["payment.received", "lead.created"], ["payment.received"]],
    [["payment.*=3001"], ["lead.created"], []],
  ] as const) {
    const given = texts.flatMap((text) => readForward(text));
    expect(forwardedKinds(given, events)).toEqual(kinds);
  }
});
