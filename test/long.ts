/** How much of something a test does: the short form with every `npm test`, the long one with `npm run test:long`. */
export function long<Amount>(short: Amount, longer: Amount): Amount {
  return process.env.HOOKPORTER_LONG === undefined ? short : longer;
}
