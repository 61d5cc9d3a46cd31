const MAX_LENGTH = 2_000;

/** The address in canonical form; null unless it is a page of a client that the operator lists. */
export function returnAddress(text: string, origins: readonly string[]): string | null {
  if (text.length > MAX_LENGTH || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && url.hash === '';
  return isPlain && origins.includes(url.origin) ? url.href : null;
}

/** The return address with the outcome of the sign-in, without earlier parameters of these names. */
export function withOutcome(address: string, name: 'code' | 'error', value: string): string {
  const url = new URL(address);
  for (const other of ['code', 'error']) url.searchParams.delete(other);
  url.searchParams.set(name, value);
  return url.href;
}
