/** The host of an http address, of one without a scheme, or of a name with `www.`: what clients link in plain text. */
const AUTHORITY =
  /(?:https?:[\\/]{0,3}|(?<![\w:/\\])[\\/]{2,3}|(?<![\w./@-])(?=www\.))([^\s/?#\\<>"'`()[\]{}|]{1,300})/gi;

/** Addresses of a page are relative to it. Its scheme is no scheme of a link, so that `http:host` is no path. */
const PAGE = new URL('ws://page.invalid/');

/** Returns the host of each address in a plain text, in order, with repetitions. */
export function hostsIn(text: string): string[] {
  const hosts: string[] = [];
  for (const [, authority] of text.matchAll(AUTHORITY)) {
    const host = hostOf(authority!);
    if (host !== null) hosts.push(host);
  }
  return hosts;
}

/** A name such as `shop.example`, in one case: `J.R.R. Tolkien` and `Dr.Smith` are none. */
const SITE_NAME = /[\p{L}\p{M}\p{N}-]{2,63}[.\u3002](?:[\p{Ll}\p{Lo}\p{M}]{2,24}|\p{Lu}{2,24})(?![\p{L}\p{N}])/u;

/** Whether a short text, such as the name of an account, contains a link or the name of a site. */
export function namesSite(text: string): boolean {
  const plain = text.normalize('NFKC');
  return SITE_NAME.test(plain) || hostsIn(plain).length > 0;
}

/** Returns the host of an attribute such as `href`, as browsers read it; null for the page itself and for other schemes. */
export function hostOfAddress(address: string): string | null {
  if (!URL.canParse(address, PAGE.href)) return null;
  const { hostname } = new URL(address, PAGE);
  return hostname === '' || hostname === PAGE.hostname ? null : hostname.replace(/\.$/, '');
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
