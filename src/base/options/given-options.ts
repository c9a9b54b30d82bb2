/**
 * The options of which the value is not `undefined`: that means the default, but would replace it
 * in a spread.
 */
export type Given<Options> = { [Name in keyof Options]: Exclude<Options[Name], undefined> };

/** Options with all defaults applied. */
export type WithDefaults<Options> = Required<Given<Options>>;

/** Options without those that are `undefined`. */
export function givenOptions<Options extends object>(options: Options): Given<Options> {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Options>;
}
