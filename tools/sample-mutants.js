// A plugin of Stryker that tries only a sample of the mutants, for
// `node tools/mutants.js --sample 200`: to Stryker, the others do not compile.
import { createHash } from "node:crypto";

class Sample {
  #drawn = new Set();

  async init() {}

  /** Called with all mutants, also those that no test runs. */
  async group(mutants) {
    const [count, seed] = JSON.parse(process.env.HOOKPORTER_MUTANTS_SAMPLE);
    // A mutant's place decides, so that the same seed draws it again after changes elsewhere.
    const place = ({ fileName, location, replacement }) =>
      createHash("sha256")
        .update(JSON.stringify([seed, fileName.slice(process.cwd().length), location, replacement]))
        .digest("hex");
    const drawn = mutants
      .map((mutant) => ({ id: mutant.id, place: place(mutant) }))
      .sort((one, other) => (one.place < other.place ? -1 : 1))
      .slice(0, Math.max(0, count - this.#drawn.size));
    for (const { id } of drawn) this.#drawn.add(id);
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants) {
    const result = (id) =>
      this.#drawn.has(id) ? { status: "passed" } : { status: "compileError", reason: "not drawn" };
    return Object.fromEntries(mutants.map(({ id }) => [id, result(id)]));
  }
}

export const strykerPlugins = [{ kind: "Checker", name: "sample", injectableClass: Sample }];
