/** What the cache answers by itself costs no header that is made for one request. */
const NOT_FROM_CACHE = 'not on every answer from the cache (`X-Cache: HIT`, `STALE`)';

/** Headers of the answers, described once. */
export const HEADERS = {
  'X-Request-Id': header(
    'quote it when you report a problem; yours, if you sent a harmless one. `refused` where a busy server looked at nothing of the ' +
      `request; ${NOT_FROM_CACHE}`,
    { maxLength: 64, pattern: '^[A-Za-z0-9._-]{1,64}$' },
  ),
  'Retry-After': {
    description: 'seconds to wait before asking again',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 },
  },
  'WWW-Authenticate': header('how to sign in', { maxLength: 100, example: 'Bearer realm="opencanvas-api"' }),
  ETag: header(
    'names this representation: for If-None-Match; of a post, a comment, a collection, a draft or my account for If-Match, too (to ' +
      'save a draft it is required)',
    { pattern: '^"[!#-~]{1,64}"$' },
  ),
  'Last-Modified': header('when the newest of what it holds was changed', { maxLength: 40 }),
  Link: header(
    'the next page, `rel="next"`, and a feed of the same posts, `rel="alternate"` (of a post or a collection: its address, `rel="canonical"`)',
    {
      maxLength: 8_000,
    },
  ),
  Location: header('the address of what was made', { format: 'uri-reference' }),
  'Content-Location': header('the present address of the post or collection', { format: 'uri-reference' }),
  'X-Cache': header('whether the answer was ready', { enum: ['HIT', 'MISS', 'STALE', 'BYPASS'] }),
  Age: {
    description: 'seconds since the answer was computed, when it was ready',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647 },
  },
  RateLimit: header(
    `what is left, and the seconds until all of it is; also as X-RateLimit-Limit, -Remaining and -Reset; ${NOT_FROM_CACHE}`,
    { example: '"reads";r=5999;t=60' },
  ),
  'RateLimit-Policy': header(`the limit and its window in seconds; ${NOT_FROM_CACHE}`, {
    example: '"reads";q=6000;w=60',
  }),
  'Idempotent-Replayed': header('when this is the first answer again', { enum: ['true'] }),
  'Server-Timing': header(
    `milliseconds the server took (\`total\`), and those of them that it waited; ${NOT_FROM_CACHE}`,
    { example: 'total;dur=1.2' },
  ),
  'Access-Control-Allow-Origin': header('`*`, or the origin that may read the answer'),
  'Access-Control-Expose-Headers': header('headers that a page of another origin may read', { maxLength: 500 }),
};

type HeaderName = keyof typeof HEADERS;

function header(description: string, schema: object = {}): { description: string; schema: object } {
  return { description, schema: { type: 'string', maxLength: 200, ...schema } };
}

/** On every answer that the framework gives. */
export const COMMON_HEADERS: HeaderName[] = [
  'X-Request-Id',
  'Server-Timing',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];

export const headerRef = (name: HeaderName): { $ref: string } => ({ $ref: `#/components/headers/${name}` });

/** For `@ApiOkResponse({ type, headers: headerRefs('ETag') })`. */
export function headerRefs(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, headerRef(name)]));
}
