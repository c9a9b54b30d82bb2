import { describe, expect, it } from "vitest";
import { commitTogether, type WorkResult } from "../../../src/inbox/sqlite/commit-together.ts";
import { GroupCommit } from "../../../src/inbox/sqlite/group-commit.ts";

describe("GroupCommit", () => {
  it("returns each result only after the commit", async () => {
    const { log, commit } = recorded();
    const both = ["a", "b"].map((name) =>
      commit.run(() => log.push(name)).then(() => log.push(`${name} told`)),
    );
    await Promise.all(both);
    expect(log).toEqual(["begin", "a", "b", "commit", "a told", "b told"]);
  });

  it("puts work that is added during a transaction into the next one", async () => {
    const { log, commit } = recorded();
    let inner: Promise<unknown> | undefined;
    await commit.run(() => {
      log.push("outer");
      inner = commit.run(() => log.push("inner"));
    });
    await inner;
    expect(log).toEqual(["begin", "outer", "commit", "begin", "inner", "commit"]);
  });

  it("rejects all work if the commit fails, and continues afterwards", async () => {
    const { transactions, commit } = recorded();
    const working = transactions.commit;
    transactions.commit = () => {
      throw new Error("disk full");
    };
    const results = await Promise.allSettled([commit.run(() => 1), commit.run(() => 2)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    transactions.commit = working;
    expect(await commit.run(() => 3)).toBe(3);
  });

  it("[case 68] tries a locked store once for all work of a turn, since each try waits", async () => {
    const { transactions, commit } = recorded();
    let asked = 0;
    transactions.begin = () => {
      asked++;
      throw new Error("locked");
    };
    await Promise.allSettled([1, 2, 3].map((value) => commit.run(() => value)));
    expect(asked).toBe(1);
  });

  it("rejects instead of hanging if even the rollback fails", async () => {
    const { transactions, commit } = recorded();
    transactions.begin = () => {
      throw new Error("begin");
    };
    transactions.rollback = () => {
      throw new Error("rollback");
    };
    const results = await Promise.allSettled([commit.run(() => 1), commit.run(() => 2)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("refuses work if 10 000 operations are waiting, and keeps those", async () => {
    const { commit } = recorded();
    const taken = Array.from({ length: 10_000 }, (_, index) => commit.run(() => index));
    await expect(commit.run(() => "too many")).rejects.toMatchObject({ code: "inbox_busy" });
    expect((await Promise.all(taken)).at(-1)).toBe(9999);
    expect(await commit.run(() => "again")).toBe("again");
  });
});

describe("GroupCommit with a batch runner", () => {
  it("has at most two batches in flight, each with its own results, and collects the rest", async () => {
    const { batches, commit } = away();
    const results = Promise.all(Array.from({ length: 100 }, (_, at) => commit.run(() => at)));
    expect(batches.map(({ operations }) => operations.length)).toEqual([32, 32]);
    for (let answered = 0; answered < 3; answered++) {
      await untilBatches(batches, answered + 1);
      batches[answered]?.answer();
    }
    expect(await results).toEqual(Array.from({ length: 100 }, (_, at) => at));
    expect(batches.map(({ operations }) => operations.length)).toEqual([32, 32, 36]);
  });

  it("keeps work that the runner does not take, and runs it locally once nothing is in flight", async () => {
    const { log, batches, commit, refuse } = away();
    const first = commit.run(() => "a");
    await untilBatches(batches, 1);
    refuse();
    const here = commit.run(() => log.push("here"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual([]);
    batches[0]?.answer();
    await Promise.all([first, here, commit.idle()]);
    expect(log).toEqual(["begin", "here", "commit"]);
  });
});

/** An operation here is a function. */
type Operation = () => unknown;

/** A batch that was sent to the runner. */
interface Sent {
  readonly operations: readonly Operation[];
  readonly answer: () => void;
  readonly lose: (error: Error) => void;
}

/** A group commit with a batch runner, until it refuses batches. */
function away() {
  const batches: Sent[] = [];
  const { log, here } = recorded();
  let refuses = false;
  const take = (operations: readonly Operation[]) => {
    if (refuses) return undefined;
    return new Promise<readonly WorkResult[]>((resolve, lose) => {
      const answer = () => resolve(operations.map((operation) => ({ value: operation() })));
      batches.push({ operations, answer, lose });
    });
  };
  const commit = new GroupCommit<Operation>({ take, commit: here });
  const refuse = () => {
    refuses = true;
  };
  return { log, batches, commit, refuse };
}

async function untilBatches(batches: readonly Sent[], count: number): Promise<void> {
  while (batches.length < count) await new Promise((resolve) => setImmediate(resolve));
}

/** A group commit with transactions that only record calls. */
function recorded() {
  const log: string[] = [];
  const transactions = {
    begin: () => void log.push("begin"),
    commit: () => void log.push("commit"),
    rollback: () => void log.push("rollback"),
  };
  const here = (operations: readonly Operation[]) =>
    commitTogether(transactions, operations, (operation) => operation());
  const commit = new GroupCommit<Operation>({ take: () => undefined, commit: here });
  return { log, transactions, here, commit };
}
