/**
 * A function as text for `node -e`, called with these arguments: a small process loads no module of ours. The function must use nothing
 * from outside its body; in a bundle, esbuild calls `__name` in it.
 */
export function programText<T extends unknown[]>(program: (...args: T) => void, ...args: T): string {
  const values = args.map((arg) => JSON.stringify(arg)).join(', ');
  return `{ const __name = (value) => value; (${program.toString()})(${values}); }`;
}
