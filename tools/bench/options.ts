import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { AGAINST, FORMS, type Form, SECTIONS, type SectionName } from "./form.ts";

/** The bench's options. */
export interface Options {
  readonly form: Form;
  /** The sections to measure; none if profiles are taken instead. */
  readonly sections: readonly SectionName[];
  /** The folder for the result and the plots. */
  readonly out: string;
  /** Whether previously measured sections stay in the result. */
  readonly add: boolean;
  /** The executable of the measured Node. */
  readonly node: string;
  /** The flags that its servers run with. */
  readonly nodeFlags: readonly string[];
  /** A checkout of hookporter, whose build is compared with this one. */
  readonly against: string | undefined;
  /** The folder for the CPU profiles. */
  readonly profile: string | undefined;
}

/**
 * Reads the command line.
 *
 * @param root - the folder of the package
 * @throws TypeError naming the invalid flag
 */
export function readOptions(argv: readonly string[], root: string): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      form: { type: "string" },
      only: { type: "string" },
      out: { type: "string", default: join(root, ".bench") },
      add: { type: "boolean", default: false },
      node: { type: "string", default: process.execPath },
      profile: { type: "string" },
      against: { type: "string" },
    },
  });
  const { form: named = "short", only, profile, against } = values;
  const [path = "", ...flags] = values.node.split(/ +(?=--)| +$/);
  if (only !== undefined && profile !== undefined) {
    throw new TypeError(
      "expected --only or --profile, got both: profiles are taken instead of measuring",
    );
  }
  if (against !== undefined && [values.form, only, profile].some((other) => other !== undefined)) {
    throw new TypeError(
      "expected --against without --form, --only and --profile: what it measures is fixed",
    );
  }
  const form =
    against === undefined ? Object.values(FORMS).find(({ name }) => name === named) : AGAINST;
  if (form === undefined) {
    throw new TypeError(
      `expected --form to be one of ${Object.keys(FORMS).join(", ")}, got ${named}`,
    );
  }
  const all = profile === undefined ? form.sections : [];
  return {
    form,
    sections: only === undefined ? all : only.split(",").map(sectionNamed),
    out: resolve(values.out),
    add: values.add,
    node: path.includes("/") ? resolve(path) : path,
    nodeFlags: flags,
    against: against === undefined ? undefined : resolve(against),
    profile: profile === undefined ? undefined : resolve(profile),
  };
}

function sectionNamed(name: string): SectionName {
  const section = SECTIONS.find((section) => section === name);
  if (section === undefined) {
    throw new TypeError(`expected --only to name some of ${SECTIONS.join(", ")}, got ${name}`);
  }
  return section;
}
