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

/** Returns a relative address as absolute one, and any other as it is. @param base of its page; a path changes nothing */
export function absoluteFrom(base: string | null, url: string): string {
  const isRelative = url !== '' && !url.startsWith('#') && !URL.canParse(url);
  return isRelative && base !== null && /^https?:/.test(base) && URL.canParse(url, base)
    ? new URL(url, base).href
    : url;
}

const WRITTEN: Record<string, string> = { '(': '%28', ')': '%29', "'": '%27', '&': '&amp;' };

/** Returns an absolute address as Markdown and HTML may contain it. */
export function writtenAddress(url: string): string {
  return url.replace(/[()'&]/g, (character) => WRITTEN[character]!);
}
