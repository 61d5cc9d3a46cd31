import { canonicalUrl } from './cache-rule.js';

const rule = { query: { sort: 'hot', tag: '', limit: '20', cursor: '' }, lowerCase: ['tag'] };

describe('canonicalUrl', () => {
  it('maps all spellings of a page to one key', () => {
    const spellings = [{ limit: '20', sort: 'hot', tag: 'AI' }, { tag: 'ai' }, { sort: 'hot', tag: 'Ai', limit: '20' }];
    expect(new Set(spellings.map((query) => canonicalUrl('/v1/feed', query, rule)))).toEqual(
      new Set(['/v1/feed?tag=ai']),
    );
  });

  it.each([
    { utm_source: 'x' },
    { limit: ['1', '2'] },
    { 'a[$ne]': '1' },
    JSON.parse('{"__proto__":"1"}') as Record<string, unknown>,
    { cursor: '' },
    { limit: '20', tag: '' },
  ])('has no key for %j, which validation refuses', (query) => {
    expect(canonicalUrl('/v1/feed', query, rule)).toBeNull();
  });

  it('takes an empty parameter for a missing one where the route accepts it', () => {
    const lenient = { ...rule, maybeEmpty: ['cursor'] };
    expect(canonicalUrl('/oc/articles', { cursor: '', tag: 'ai' }, lenient)).toBe('/oc/articles?tag=ai');
    expect(canonicalUrl('/oc/articles', { cursor: '', tag: '' }, lenient)).toBeNull();
  });

  it('keeps keys distinct for values that look like syntax', () => {
    expect(canonicalUrl('/v1/feed', { tag: 'a&limit=5' }, rule)).not.toBe(
      canonicalUrl('/v1/feed', { tag: 'a', limit: '5' }, rule),
    );
  });
});
