/** Escapes of Markdown and HTML that an address may contain. */
const ESCAPES = /\\([!-/:-@[-`{-~])|&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(colon|sol|bsol|period|commat|shy|amp));/g;
const NAMED: Record<string, string> = {
  ...{ colon: ':', sol: '/', bsol: '\\', period: '.', commat: '@', shy: '\u00ad', amp: '&' },
};
/** The host of an http address, of one without a scheme, or of a name with `www.`: what the renderer links. */
const AUTHORITY =
  /(?:https?:[\\/]{0,3}|(?<![\w:/\\])[\\/]{2,3}|(?<![\w./@-])(?=www\.))([^\s/?#\\<>"'`()[\]{}|]{1,300})/gi;

/** Decodes the escapes of Markdown and HTML. */
export function decodeEscapes(text: string): string {
  if (!/[\\&]/.test(text)) return text;
  return text.replace(ESCAPES, (_, sign?: string, decimal?: string, hex?: string, name?: string) => {
    if (sign !== undefined) return sign;
    if (name !== undefined) return NAMED[name]!;
    const code = decimal === undefined ? parseInt(hex!, 16) : Number(decimal);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : '';
  });
}

/** Returns the host of each link in a text without escapes, in order, with repetitions. */
export function hostsIn(text: string): string[] {
  const hosts: string[] = [];
  for (const [, authority] of text.matchAll(AUTHORITY)) {
    const host = hostOf(authority!);
    if (host !== null) hosts.push(host);
  }
  return hosts;
}

/** Returns the canonical form of a host with a dot (lower case, ASCII), or null. */
export function hostOf(authority: string): string | null {
  // Emphasis and punctuation after an address are not part of it.
  let end = authority.length;
  while (end > 0 && '*_~.,:;!'.includes(authority[end - 1]!)) end -= 1;
  const url = `http://${authority.slice(0, end)}`;
  if (!URL.canParse(url)) return null;
  const host = new URL(url).hostname.replace(/\.$/, '');
  return host.includes('.') ? host : null;
}

/** Returns a host and the domains that contain it: a.b.org, b.org, org. */
export function* domainsOf(host: string): Generator<string, void, undefined> {
  for (let at = 0; at >= 0; at = host.indexOf('.', at) + 1 || -1) yield host.slice(at);
}
