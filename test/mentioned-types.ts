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
import { type Declarations, origin } from "./declarations.ts";

/** The types that declarations mention and that are not among them, by place and name. */
export function mentionedTypes(
  exported: readonly TypeSymbol[],
  declarations: Declarations,
): ReadonlyMap<string, TypeSymbol> {
  const { project } = declarations;
  const { checker } = project;
  const known = new Set(exported.map(({ id }) => id));
  const names = new Set(
    exported.flatMap((symbol) =>
      placesOf(symbol, declarations).map((place) => nameOf(place, symbol)),
    ),
  );
  const visited = new Set<number>();
  const found = new Map<string, TypeSymbol>();
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
      const [place] = placesOf(target, declarations);
      const isOurs = place !== undefined && !isTypeParameter(target, declarations);
      // A value behind `typeof` needs no name, but what its type mentions does.
      if (isOurs && isTypeQueryNode(node)) visit(target);
      else if (isOurs && !known.has(target.id) && !names.has(nameOf(place, target))) {
        found.set(nameOf(place, target), target);
      }
    }
    node.forEachChild((child) => {
      look(child);
      return undefined;
    });
  };
  for (const symbol of exported) visit(symbol);
  return found;
}

function nameOf(place: string, { name }: TypeSymbol): string {
  return `${place}: ${name}`;
}

/** The name by which a node mentions a declaration. */
function mentionedIn(node: Node): Node | undefined {
  if (isTypeReferenceNode(node)) return node.typeName;
  if (isExpressionWithTypeArguments(node))
    return isIdentifier(node.expression) ? node.expression : undefined;
  if (isTypeQueryNode(node)) return node.exprName;
  return isImportTypeNode(node) ? node.qualifier : undefined;
}

/** Our own files in which a symbol is declared. */
function placesOf(symbol: TypeSymbol, { folder }: Declarations): readonly string[] {
  const files = symbol.declarations.map(({ path }) => String(path));
  return files
    .filter((path) => path.startsWith(`${folder}/src/`))
    .map((path) => path.slice(folder.length + 1));
}

function isTypeParameter(symbol: TypeSymbol, { project }: Declarations): boolean {
  return symbol.declarations.some((declaration) => {
    const node = declaration.resolve(project);
    return node !== undefined && isTypeParameterDeclaration(node);
  });
}

/** Whether a type is of strings, such as error codes: the groups it is made of need no names. */
function isOfStrings(node: Node, checker: Checker): boolean {
  if (!isTypeAliasDeclaration(node)) return false;
  const type = checker.getTypeFromTypeNode(node.type);
  return type !== undefined && checker.isTypeAssignableTo(type, checker.getStringType());
}
