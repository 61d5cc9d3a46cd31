/** Headers that differ between any two responses. */
export const OWN_HEADERS = new Set([
  'x-request-id',
  'server-timing',
  'ratelimit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'date',
]);
