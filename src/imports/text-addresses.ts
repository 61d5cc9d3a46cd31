/** An address in Markdown, between two offsets of the source. */
export type TextAddress = { kind: 'image' | 'link'; url: string; start: number; end: number };

/** Replaces addresses. @param replacements by address, for each kind */
export function replaceAddresses(
  text: string,
  addresses: readonly TextAddress[],
  replacementOf: (address: TextAddress) => string | undefined,
): string {
  let result = '';
  let done = 0;
  for (const address of addresses) {
    const replacement = replacementOf(address);
    if (replacement === undefined || address.start < done) continue;
    result += text.slice(done, address.start) + replacement;
    done = address.end;
  }
  return result + text.slice(done);
}
