import { HookporterError } from "../base/errors.ts";
import { CATALOGUE, type CheckCase, CONTROL } from "./catalogue.ts";
import { GROUPS, groupOf } from "./check-case.ts";

/**
 * The cases selected by `only` and not excluded by `skip`; both take ids (`SIG-04`) or groups
 * (`SIG`). The control is always included, since a refusal proves nothing without it. The former id
 * of a case selects it too. Throws `usage` for an unknown name.
 */
export function selectCases({
  only,
  skip = [],
}: {
  only?: readonly string[];
  skip?: readonly string[];
}) {
  for (const [flag, names] of Object.entries({ only: only ?? [], skip })) {
    const unknown = names.find((name) => !CATALOGUE.some((checkCase) => isNamed(checkCase, name)));
    if (unknown === undefined) continue;
    const groups = Object.keys(GROUPS).join(", ");
    throw new HookporterError(
      "usage",
      `expected --${flag} to name cases such as SIG-04, or groups (${groups}), got ${unknown}: --list shows all`,
    );
  }
  return CATALOGUE.filter((checkCase) => {
    if (checkCase.id === CONTROL) return true;
    const chosen = only === undefined || only.some((name) => isNamed(checkCase, name));
    return chosen && !skip.some((name) => isNamed(checkCase, name));
  });
}

function isNamed(checkCase: CheckCase, name: string): boolean {
  return checkCase.id === name || groupOf(checkCase) === name || checkCase.id === nowIn(name);
}

/**
 * The case that a former one of `GATE` is part of: until 0.2, each of its first 60 forms had up to
 * three.
 */
function nowIn(name: string): string | undefined {
  const number = Number(/^GATE-(\d\d)$/.exec(name)?.[1]);
  return number <= 60
    ? CATALOGUE.findLast(({ id }) => id.startsWith("GATE-") && id <= name)?.id
    : undefined;
}
