/** Headers for clients, described once; the description of the document names the others. */
export const HEADERS = {
  ETag: header(
    'names this representation: for If-None-Match; of a post, a comment, a collection, a draft or my account for If-Match, too (to ' +
      'save a draft it is required)',
    { pattern: '^"[!#-~]{1,64}"$' },
  ),
  'Last-Modified': header('when the newest of what it holds was changed', { maxLength: 40 }),
  Location: header('the address of what was made', { format: 'uri-reference' }),
  RateLimit: header('remaining requests, and the seconds until the limit is full again', {
    example: '"reads";r=5999;t=60',
  }),
};

type HeaderName = keyof typeof HEADERS;

function header(description: string, schema: object = {}): { description: string; schema: object } {
  return { description, schema: { type: 'string', maxLength: 200, ...schema } };
}

export const COMMON_HEADERS: HeaderName[] = ['RateLimit'];

const headerRef = (name: HeaderName): { $ref: string } => ({ $ref: `#/components/headers/${name}` });

/** For `@ApiOkResponse({ type, headers: headerRefs('ETag') })`. */
export function headerRefs(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, headerRef(name)]));
}
