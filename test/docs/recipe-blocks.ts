import recipes from "../recipes/package.json" with { type: "json" };

/** Whether code of a page imports a package that only recipes need; `test/recipes/` compiles it. */
export function importsRecipePackage(code: string): boolean {
  return Object.keys(recipes.dependencies).some(
    (name) => code.includes(`from "${name}"`) || code.includes(`from "${name}/`),
  );
}
