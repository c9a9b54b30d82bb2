/**
 * Renews leases at an interval, as long as anything that runs entries needs it.
 *
 * @param renew - must not reject
 * @returns a function that begins, unless that was done, and returns one that ends it; call that
 * once
 */
export function leaseRenewal(intervalMs: number, renew: () => Promise<void>): () => () => void {
  let users = 0;
  let timer: NodeJS.Timeout | undefined;
  return () => {
    users++;
    timer ??= setInterval(() => void renew(), intervalMs);
    return () => {
      if (--users > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
}
