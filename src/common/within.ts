/**
 * What `work` resolves to, or undefined when that takes longer. A timer that was late itself comes after what has resolved by then.
 * `work` continues either way; what it rejects with comes through.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, undefined), Math.max(0, ms)).unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
