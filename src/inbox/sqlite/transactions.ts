import type { Transactions } from "./commit-together.ts";
import type { Presence } from "./file/presence.ts";
import type { Statements } from "./statements.ts";

/** Transactions on an open inbox file. None begins once its files were removed or replaced. */
export function transactionsOn(open: () => { statements: Statements; presence: Presence }): Transactions {
  return {
    begin: () => {
      const { statements, presence } = open();
      presence.check();
      statements.begin();
    },
    commit: () => void open().statements.run("COMMIT"),
    rollback: () => {
      const { statements } = open();
      if (statements.inTransaction) statements.run("ROLLBACK");
    },
  };
}
