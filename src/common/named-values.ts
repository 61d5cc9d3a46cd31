const NAMES = new Map<string, string>();

/** Declares values that the OpenAPI document describes once, as a schema of this name, so that clients get one type. */
export function namedValues<const T extends readonly string[]>(name: string, values: T): T {
  const key = values.join();
  if ((NAMES.get(key) ?? name) !== name) throw new Error(`the values of ${name} are those of ${NAMES.get(key)}`);
  NAMES.set(key, name);
  return values;
}

/** Returns the name of declared values, of which `null` may be the last one, or undefined. */
export function nameOfValues(values: readonly (string | null)[]): string | undefined {
  const name = NAMES.get(values.filter((value) => value !== null).join());
  return name !== undefined && values.includes(null) ? `${name}OrNull` : name;
}
