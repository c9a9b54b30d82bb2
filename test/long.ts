/** The size of a test: small with every `npm test`, large with `npm run test:long`. */
export function long<Amount>(short: Amount, longer: Amount): Amount {
  return process.env.HOOKPORTER_LONG === undefined ? short : longer;
}
