// The store behind a receiver's `inbox`, in a build of the package; a build before 1.0 has the
// store itself there.
const VIEW = Symbol.for("hookporter.inbox-view");

export function storeBehind({ inbox }) {
  return inbox[VIEW]?.store ?? inbox;
}
