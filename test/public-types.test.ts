import type { Node } from "typescript/unstable/ast";
import {
  isExpressionWithTypeArguments,
  isIdentifier,
  isImportTypeNode,
  isTypeAliasDeclaration,
  isTypeParameterDeclaration,
  isTypeQueryNode,
  isTypeReferenceNode,
} from "typescript/unstable/ast/is";
import type { Checker, Symbol as TypeSymbol } from "typescript/unstable/sync";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Declarations, ENTRIES, openDeclarations, origin } from "./declarations.ts";

/** The imports that extend `hookporter`: their users have its exports too. */
const EXTENDS_MAIN = [
  "hookporter",
  "hookporter/express",
  "hookporter/node",
  "hookporter/fetch",
  "hookporter/fastify",
  "hookporter/lambda",
  "hookporter/tracing",
  "hookporter/metrics",
  "hookporter/testing",
];

/** Where the types of the main import's declarations are, too: what only a tracer's author names. */
const BESIDE_MAIN = ["src/entries/tracing.d.ts"];

/** Type machinery, what only stores and tracers handle, and the members of unions that are told apart by a field: they need no names. */
const UNNAMED = [
  ...["ClaimedEntry", "SettledState", "Entry", "EntryFilter", "Settlement"],
  ...["OwnTransactions", "PostgresConnection", "PostgresResult", "PostgresStatement"],
  "CheckedPattern",
  ...["DataOf", "DataSchemas", "EventsByPattern", "EventsOf", "KindsOf", "KnownKind", "Member"],
  ...["OnlyKnownKinds", "RetryPolicy", "SchemasOption", "WatchedReceiver"],
  ...["DeadLettersAlert", "InboxNearlyFullAlert", "OldestDueAlert"],
  ...["Misconfigured", "Proof", "Refused", "Rejected", "Unauthorized", "Unavailable"],
  ...["AgeLimits", "AlertCondition", "AnyErrorCode", "BodyFailure", "DigestStart", "UnfitReason"],
];

let declarations: Declarations;

beforeAll(() => {
  declarations = openDeclarations();
}, 60_000);

afterAll(() => declarations.close());

it.each(ENTRIES)("$name exports every type that its declarations mention", ({ name, file }) => {
  const main = EXTENDS_MAIN.includes(name) ? ["src/entries/index.d.ts", ...BESIDE_MAIN] : [];
  const exported = declarations.exportsOf(file);
  expect(exported.length).toBeGreaterThan(1);
  const all = [...exported, ...main.flatMap((one) => declarations.exportsOf(one))];
  const left = missing(all).filter((one) => !UNNAMED.includes(one.split(": ")[1] ?? ""));
  expect(left).toEqual([]);
});

it("what needs no name has none", () => {
  const named = ENTRIES.flatMap(({ file }) => declarations.exportsOf(file)).map((symbol) => symbol.name);
  expect(UNNAMED.filter((name) => named.includes(name))).toEqual(["RetryPolicy"]); // of the client
});

it("a mentioned type that is not exported is found", () => {
  const some = declarations
    .exportsOf("src/entries/index.d.ts")
    .filter(({ name }) => ["Receiver", "Outcome"].includes(name));
  const found = missing(some);
  expect(found).toContain("src/receiver/inbox-view.d.ts: InboxView");
  expect(found).toContain("src/event/delivery.d.ts: Delivery");
  expect(found).toContain("src/receiver/outcome.d.ts: Accepted");
  expect(found).not.toContain("src/receiver/receiver.d.ts: Receiver");
});

/** The types that declarations mention and that are not among them. */
function missing(exported: readonly TypeSymbol[]): readonly string[] {
  const { project } = declarations;
  const { checker } = project;
  const known = new Set(exported.map(({ id }) => id));
  const names = new Set(exported.flatMap((symbol) => placesOf(symbol).map((place) => nameOf(place, symbol))));
  const visited = new Set<number>();
  const found = new Set<string>();
  const visit = (symbol: TypeSymbol): void => {
    if (visited.has(symbol.id)) return;
    visited.add(symbol.id);
    for (const declaration of symbol.declarations) {
      const node = declaration.resolve(project);
      if (node !== undefined && !isOfStrings(node, checker)) look(node);
    }
  };
  const look = (node: Node): void => {
    const mentioned = mentionedIn(node);
    const symbol = mentioned === undefined ? undefined : checker.getSymbolAtLocation(mentioned);
    if (mentioned !== undefined && symbol !== undefined) {
      const target = origin(symbol, checker);
      const [place] = placesOf(target);
      const isOurs = place !== undefined && !isTypeParameter(target);
      // A value behind `typeof` needs no name, but what its type mentions does.
      if (isOurs && isTypeQueryNode(node)) visit(target);
      else if (isOurs && !known.has(target.id) && !names.has(nameOf(place, target))) {
        found.add(nameOf(place, target));
      }
    }
    node.forEachChild((child) => {
      look(child);
      return undefined;
    });
  };
  for (const symbol of exported) visit(symbol);
  return [...found].sort();
}

function nameOf(place: string, { name }: TypeSymbol): string {
  return `${place}: ${name}`;
}

/** The name by which a node mentions a declaration. */
function mentionedIn(node: Node): Node | undefined {
  if (isTypeReferenceNode(node)) return node.typeName;
  if (isExpressionWithTypeArguments(node)) return isIdentifier(node.expression) ? node.expression : undefined;
  if (isTypeQueryNode(node)) return node.exprName;
  return isImportTypeNode(node) ? node.qualifier : undefined;
}

/** Our own files in which a symbol is declared. */
function placesOf(symbol: TypeSymbol): readonly string[] {
  const { folder } = declarations;
  const files = symbol.declarations.map(({ path }) => String(path));
  return files
    .filter((path) => path.startsWith(`${folder}/src/`))
    .map((path) => path.slice(folder.length + 1));
}

function isTypeParameter(symbol: TypeSymbol): boolean {
  return symbol.declarations.some((declaration) => {
    const node = declaration.resolve(declarations.project);
    return node !== undefined && isTypeParameterDeclaration(node);
  });
}

/** Whether a type is of strings, such as error codes: the groups it is made of need no names. */
function isOfStrings(node: Node, checker: Checker): boolean {
  if (!isTypeAliasDeclaration(node)) return false;
  const type = checker.getTypeFromTypeNode(node.type);
  return type !== undefined && checker.isTypeAssignableTo(type, checker.getStringType());
}
