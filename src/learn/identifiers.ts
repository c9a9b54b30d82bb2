/** Returns a kind's name in TypeScript: `payment.received` is `PaymentReceived`. */
export function typeName(kind: string): string {
  const words = kind.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const name = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join("");
  return /^[A-Za-z]/.test(name) ? name : `Event${name}`;
}

/** Returns the name of a kind's schema: `payment.received` has `paymentReceivedSchema`. */
export function schemaName(kind: string): string {
  const name = typeName(kind);
  return `${name[0]?.toLowerCase()}${name.slice(1)}Schema`;
}

/** Returns a key as it stands in an object literal or an interface. */
export function memberKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
