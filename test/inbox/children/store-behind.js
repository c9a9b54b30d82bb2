// The store behind a receiver's `inbox`, in a build of the package; one before 1.0 may have the
// store itself there.
const VIEW = Symbol.for("hookporter.inbox-view");

export function storeBehind({ inbox }) {
  return inbox[VIEW]?.store.inbox ?? inbox[VIEW]?.store ?? inbox;
}
