/**
 * Resolves as `work` does, or to undefined after `ms`. When the timer itself is late, a result that is ready wins. `work` continues
 * after a timeout; its rejection is passed on.
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
