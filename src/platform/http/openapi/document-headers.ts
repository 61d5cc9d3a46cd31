/** Headers that the document describes as components. The description of the document lists all others. */
export const HEADERS = {
  ETag: header(
    'version of the response, for If-None-Match; for posts, comments, collections, drafts and my account also for If-Match, ' +
      'which saving a draft requires',
    { pattern: '^"[!#-~]{1,64}"$' },
  ),
  'Last-Modified': header('time of the latest change of its items', { maxLength: 40 }),
  Location: header('URL of the created resource', { format: 'uri-reference' }),
  RateLimit: header('remaining requests, and seconds until the limit resets', {
    example: '"reads";r=5999;t=60',
  }),
};

type HeaderName = keyof typeof HEADERS;

function header(description: string, schema: object = {}): { description: string; schema: object } {
  return { description, schema: { type: 'string', maxLength: 200, ...schema } };
}

export const COMMON_HEADERS: HeaderName[] = ['RateLimit'];

const headerRef = (name: HeaderName): { $ref: string } => ({ $ref: `#/components/headers/${name}` });

/** References to shared headers, for `@ApiOkResponse({ type, headers: headerRefs('ETag') })`. */
export function headerRefs(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, headerRef(name)]));
}
