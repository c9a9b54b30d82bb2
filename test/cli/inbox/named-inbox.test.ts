import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createContext } from "../../../src/cli/context.ts";
import { nameInbox } from "../../../src/cli/inbox/named-inbox.ts";
import { withoutPassword } from "../../../src/inbox/postgres/postgres-url.ts";
import { fakeIo } from "../fake-io.ts";

const CANARY = "canary-Pa55word";

describe("an inbox that a command names", () => {
  const name = (given: string | undefined, folder = "/project") =>
    nameInbox(createContext(fakeIo({ cwd: folder }).io), given);

  it("is a file in the working folder", () => {
    const file = join("/project", "a.db");
    expect(name("a.db")).toEqual({ option: file, shown: file, file });
    expect(name(undefined).file).toBe(join("/project", ".hookporter", "inbox.db"));
  });

  it("is in memory", () => {
    expect(name("memory:")).toEqual({ option: "memory:", shown: "memory:", file: undefined });
  });

  it.each([
    [
      `postgres://user:${CANARY}@db.test:5433/app?schema=hooks&sslmode=require`,
      "postgres://db.test:5433/app?schema=hooks",
    ],
    [`postgresql://db.test/app?password=${CANARY}`, "postgres://db.test/app"],
    [`postgres://user:${CANARY}@not a host/app`, "postgres://…"],
  ])("%s is shown without user, password and other parameters", (given, shown) => {
    expect(name(given)).toEqual({ option: given, shown, file: undefined });
  });

  it("is refused without its password if it is the URL of something else", () => {
    expect(() => name(`mysql://user:${CANARY}@db.test/app`)).toThrow(
      expect.objectContaining({
        code: "inbox_unsupported",
        message: expect.not.stringContaining(CANARY),
      }),
    );
  });

  it("is passed on without its password", () => {
    expect(
      withoutPassword(`postgres://user:${CANARY}@db.test/app?password=${CANARY}&schema=a`),
    ).toBe("postgres://user@db.test/app?schema=a");
    expect(withoutPassword(`postgres://user:${CANARY}@not a host/app`)).toBe("");
  });
});
