/** An optional package that is needed after all. */
export interface MissingPackage {
  readonly name: string;
  /** What it is, in a few words. */
  readonly is: string;
  /** What to install, if not its latest version. */
  readonly install?: string;
  /** What to do without it. */
  readonly instead: string;
}

/** What to say about an optional package that is not installed, in one line. */
export function missingPackage({ name, is, install = name, instead }: MissingPackage): string {
  return `expected ${name} (${is}); run npm i ${install}, or ${instead}`;
}
