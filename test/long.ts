/** The size of a test: small with every `npm test`, large with `npm run test:long`. */
export function long<Amount>(short: Amount, longer: Amount): Amount {
  return process.env.HOOKPORTER_LONG === undefined ? short : longer;
}

/**
 * The number of runs of a test: fewer for mutation tests, in which the same test runs for each
 * mutant.
 */
export function runs(usual: number, withMutants: number): number {
  return process.env.HOOKPORTER_MUTANTS_TESTS === undefined ? usual : withMutants;
}
