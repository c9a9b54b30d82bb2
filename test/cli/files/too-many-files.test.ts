import { expect, it } from "vitest";
import { unusableFrom } from "../../../src/base/unusable.ts";

it.each(["EMFILE", "ENFILE"])(
  "%s, from wherever it comes, names the limit and how to raise it",
  (code) => {
    const thrown = Object.assign(new Error(`${code}: too many open files`), { code });
    expect(unusableFrom(thrown)).toMatchObject({
      code: "folder_unusable",
      message: expect.stringMatching(
        new RegExp(`^expected to open another file, got ${code}: .*\`ulimit -n 4096\`$`),
      ),
      cause: thrown,
    });
    expect(unusableFrom(new Error("another"))).toBeUndefined();
  },
);
