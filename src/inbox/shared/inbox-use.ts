/**
 * Opens an inbox, unless it is open. Resolves to a function that ends this use of it, and closes
 * the inbox if that was the last one; it may be called again.
 *
 * @throws whatever opening throws; the inbox is closed then
 */
export type UseInbox = () => Promise<() => Promise<void>>;

/**
 * Keeps an inbox open for as long as anything uses it: the receiver once it is started, and each
 * drain.
 */
export function inboxUse(open: () => Promise<void>, close: () => Promise<void>): UseInbox {
  let users = 0;
  /** The latest opening or closing; never rejects. */
  let latest: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    const done = latest.then(work);
    latest = done.catch(() => {});
    return done;
  };
  const begin = async () => {
    try {
      if (users === 0) await open();
      users++;
    } catch (thrown) {
      await close().catch(() => {});
      throw thrown;
    }
  };
  const end = async () => {
    if (--users === 0) await close();
  };
  return async () => {
    await inTurn(begin);
    let released: Promise<void> | undefined;
    return () => {
      released ??= inTurn(end);
      return released;
    };
  };
}
