/** Headers that differ from one response to the next, whatever way it took. */
export const OWN_HEADERS = new Set([
  'x-request-id',
  'server-timing',
  'ratelimit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'date',
]);
