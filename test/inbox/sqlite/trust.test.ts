import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FileReport } from "../../../src/inbox/sqlite/care/check-file.ts";
import { explainsFailure } from "../../../src/inbox/sqlite/care/damaged-deliveries.ts";
import type { Statements } from "../../../src/inbox/sqlite/statements.ts";
import { Trust } from "../../../src/inbox/sqlite/trust.ts";
import { keptLog } from "../../receiver/sample.ts";

const CLEAN: FileReport = { problems: [], unreadable: [], usable: true };
const BROKEN: FileReport = { problems: ["Tree 4 is odd"], unreadable: [], usable: false };
const SECOND = 1000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Trust whose checks the test ends. */
function checkedByHand() {
  const { log, lines } = keptLog();
  const ends: ((report: FileReport | undefined) => void)[] = [];
  const killed = vi.fn();
  const trust = new Trust("inbox.db", log, (_, done) => {
    ends.push(done);
    return killed;
  });
  const messages = () => lines.map(({ message }) => message);
  return {
    trust,
    killed,
    messages,
    started: () => ends.length,
    end: (report?: FileReport) => ends.at(-1)?.(report),
  };
}

describe("trust that was lost", () => {
  it("comes back for the entries whose delivery could not be read, too", () => {
    const { trust, end } = checkedByHand();
    const unreadable = () => {
      throw new Error("database disk image is malformed");
    };
    const statements = { all: () => [{ seq: 7 }], get: unreadable } as unknown as Statements;
    const request = { now: 0, limit: 1, leaseTime: 1000, sources: ["service"] };
    expect(explainsFailure(statements, request, trust.damaged)).toBe(true);
    trust.doubt("entry 7");
    expect(trust.suspects).toEqual([7]); // and waits meanwhile
    end({ ...BROKEN, usable: true, diskError: "EIO" });
    expect(trust.suspects).toEqual([7]);
    vi.advanceTimersByTime(30 * SECOND);
    end(CLEAN);
    expect([...trust.damaged]).toEqual([]);
    expect(explainsFailure(statements, request, trust.damaged)).toBe(true);
    trust.doubt("entry 7");
    end({ ...BROKEN, usable: true });
    expect([...trust.damaged]).toEqual([7]);
    expect(trust.suspects).toEqual([]); // it is known to be damaged
  });

  it("is checked again after 30 seconds, then after longer and longer waits up to ten minutes", () => {
    const { trust, end, started } = checkedByHand();
    trust.lose("malformed");
    const waits: number[] = [];
    for (let check = 1; check <= 7; check++) {
      end(check === 2 ? undefined : BROKEN); // a check that fails is repeated, too
      let waited = 0;
      for (; started() === check; waited += SECOND) vi.advanceTimersByTime(SECOND);
      waits.push(waited / SECOND);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600]);
    expect(trust.damage).toContain("Tree 4 is odd");
    end(CLEAN);
    expect(trust.damage).toBeUndefined();
    vi.advanceTimersByTime(3600 * SECOND);
    expect(started()).toBe(8);
  });

  it("is not checked more often because more fails meanwhile", () => {
    const { trust, end, started } = checkedByHand();
    trust.lose("malformed");
    trust.lose("malformed");
    expect(started()).toBe(1);
    end(BROKEN);
    trust.lose("malformed");
    trust.doubt("an entry");
    expect(started()).toBe(1);
  });

  it("can be lost again, which is checked at once", () => {
    const { trust, end, started } = checkedByHand();
    trust.lose("malformed");
    end(CLEAN);
    trust.lose("malformed again");
    expect([trust.damage, started()]).toEqual(["malformed again", 2]);
  });

  it("is explained by the disk if the disk reports errors", () => {
    const { trust, end, messages } = checkedByHand();
    trust.lose("malformed");
    end({ ...BROKEN, diskError: "EIO: i/o error, read" });
    expect(trust.damage).toMatch(/the disk reports errors \(EIO: i\/o error, read\)/);
    expect(messages().at(-1)).not.toContain("recovery.md");
  });

  it("is the disk's fault once that has reported errors, until a check finds the file intact or damaged", () => {
    const { trust, end } = checkedByHand();
    const next = (report: FileReport) => {
      vi.advanceTimersByTime(600 * SECOND);
      end(report);
      return trust.blamesDisk;
    };
    expect(trust.blamesDisk).toBe(false);
    trust.suspectDisk();
    trust.lose("malformed");
    expect(trust.blamesDisk).toBe(true);
    expect(next({ ...BROKEN, diskError: "EIO" })).toBe(true);
    expect(next(BROKEN)).toBe(false);
    expect(trust.damage).toContain("recovery.md");
    trust.suspectDisk(); // the file is known to be damaged
    expect(trust.blamesDisk).toBe(false);
    expect(next({ ...BROKEN, diskError: "EIO" })).toBe(true);
    expect(next(CLEAN)).toBe(false);
  });

  it("is not waited for when it is closed during a check", () => {
    const { trust, killed } = checkedByHand();
    trust.lose("malformed");
    trust.close();
    expect(killed).toHaveBeenCalledOnce();
  });
});

describe("trust that is in doubt", () => {
  it("remains if only single entries are damaged, which is checked once", () => {
    const { trust, end, started, messages } = checkedByHand();
    trust.doubt("entry 7");
    end({ problems: [], unreadable: [7], usable: true });
    trust.doubt("entry 7");
    vi.advanceTimersByTime(3600 * SECOND);
    expect([trust.damage, started()]).toEqual([undefined, 1]);
    expect(messages().at(-1)).toContain("single entries are damaged");
  });

  it("is lost if the check finds more", () => {
    const { trust, end, messages } = checkedByHand();
    trust.doubt("entry 7");
    end(BROKEN);
    expect(trust.damage).toContain("Tree 4 is odd");
    expect(messages().at(-1)).toContain("no delivery is acknowledged any more");
  });
});
