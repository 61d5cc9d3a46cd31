const PLAIN = {
  acceptEncoding: undefined as string | undefined,
  authorization: undefined as string | undefined,
  ifModifiedSince: undefined as string | undefined,
  ifNoneMatch: undefined as string | undefined,
  origin: undefined as string | undefined,
  /** needs the framework: a precondition on a write, a body, or another protocol */
  needsFramework: false,
};

/** The headers of a request that decide the form of its response. */
export type RequestedForm = typeof PLAIN;

/**
 * Reads the raw header list once, without node's headers object (about 2 us). Cookies, `Cache-Control`, `Pragma` and ranges of a client
 * are ignored.
 */
export function requestedForm(rawHeaders: string[]): RequestedForm {
  let form = PLAIN;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (!LENGTHS[name.length]) continue;
    const field = FIELDS[name.toLowerCase()];
    if (field === undefined) continue;
    if (form === PLAIN) form = { ...PLAIN };
    if (field === 'needsFramework') form.needsFramework = true;
    // only the framework joins several headers of one name
    else if (form[field] !== undefined) form.needsFramework = true;
    else form[field] = rawHeaders[at + 1]!;
  }
  return form;
}

const FIELDS: Record<string, keyof RequestedForm | undefined> = {
  __proto__: null as never,
  'accept-encoding': 'acceptEncoding',
  authorization: 'authorization',
  'if-modified-since': 'ifModifiedSince',
  'if-none-match': 'ifNoneMatch',
  origin: 'origin',
  expect: 'needsFramework',
  upgrade: 'needsFramework',
  'if-match': 'needsFramework',
  'if-unmodified-since': 'needsFramework',
  'content-length': 'needsFramework',
  'transfer-encoding': 'needsFramework',
};
/** The lengths of these names: most other headers differ in length already. */
const LENGTHS = Array.from({ length: 32 }, (_, length) => Object.keys(FIELDS).some((name) => name.length === length));
