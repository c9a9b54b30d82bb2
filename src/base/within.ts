/** The result of a promise, or another value if that takes longer than some milliseconds. */
export async function within<Value, Other>(promise: Promise<Value>, ms: number, otherwise: () => Other) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Other>((resolve) => {
    timer = setTimeout(() => resolve(otherwise()), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
