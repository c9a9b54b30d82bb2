/** The result of a promise, or another value if it takes longer than this many milliseconds. */
export function withTimeout<Value, Other>(
  promise: Promise<Value>,
  ms: number,
  otherwise: () => Other,
): Promise<Value | Other> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise()), ms);
    const settled = () => clearTimeout(timer);
    promise.then(
      (value) => {
        settled();
        resolve(value);
      },
      (thrown) => {
        settled();
        reject(thrown);
      },
    );
  });
}
