const PLAIN = {
  acceptEncoding: undefined as string | undefined,
  authorization: undefined as string | undefined,
  ifModifiedSince: undefined as string | undefined,
  ifNoneMatch: undefined as string | undefined,
  origin: undefined as string | undefined,
  /** whether the request has a body, a write precondition, another protocol, or repeated headers */
  needsFramework: false,
};

/** The request headers that determine the form of a response. */
export type RequestedForm = typeof PLAIN;

/**
 * Parses the raw header list once, because Node's headers object costs about 2 µs. Ignores cookies, ranges, and the clients'
 * `Cache-Control` and `Pragma` headers.
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
    // Only the framework joins repeated headers.
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
/** Whether a header of this length may be relevant: a cheap test that excludes most other headers. */
const LENGTHS = Array.from({ length: 32 }, (_, length) => Object.keys(FIELDS).some((name) => name.length === length));
