import fc from 'fast-check';
import { fullPage } from '../platform/http/pagination/full-page.js';
import { ListFilter, NO_FILTER } from './list-filter.js';
import { PhraseMatcher } from './phrase-matcher.js';

type Post = { at: number; authorId: string };

const VIEWER = 'viewer';
const AUTHORS = [VIEWER, 'ann', 'ben', 'eve'];

const author = fc.constantFrom(...AUTHORS);
/** between two pages: a new post of this author, or the deletion of a post */
const change = fc.oneof(fc.record({ publish: author }), fc.record({ remove: fc.nat() }));
const filter = fc
  .record({
    accounts: fc.uniqueArray(fc.tuple(fc.constantFrom('ann', 'ben'), fc.constantFrom(Infinity, 0)), {
      selector: ([id]) => id,
    }),
    posts: fc.uniqueArray(fc.nat({ max: 60 })),
  })
  .map(({ accounts, posts }) => ({ accounts: new Map(accounts), posts: new Set(posts.map(String)) }));

describe('ListFilter', () => {
  it('hides posts by author and by id, but none of the viewer, and none after the end of a mute', () => {
    const now = Date.now();
    const accounts = new Map([
      ['ann', Infinity],
      ['ben', now - 1],
      ['eve', now + 3_600_000],
    ]);
    const some = new ListFilter(VIEWER, accounts, new Set(['1']));

    const hidden = (id: string) => AUTHORS.filter((authorId) => some.hidesPost(id, authorId));
    expect([hidden('0'), hidden('1')]).toEqual([
      ['ann', 'eve'],
      ['ann', 'ben', 'eve'],
    ]);
    expect(AUTHORS.filter((authorId) => NO_FILTER.hidesPost('1', authorId))).toEqual([]);
  });

  it('omits cards and comments with a phrase that hides, names one that warns, and leaves those of the viewer', () => {
    const phraseOf = (phrase: string, action: 'hide' | 'warn') => ({
      id: phrase,
      phrase,
      isWholeWord: true,
      action,
      endsAt: Infinity,
    });
    const phrases = new PhraseMatcher([phraseOf('sea', 'hide'), phraseOf('sand', 'warn')]);
    const none = new PhraseMatcher([]);
    const some = new ListFilter(VIEWER, new Map([['ben', Infinity]]), new Set(), { posts: phrases, comments: none });
    const cardOf = (authorId: string, fields = {}) => {
      return {
        id: '1',
        title: 'Notes',
        subtitle: null as string | null,
        contentPreview: 'Of looms.',
        tags: ['looms'],
        author: { id: authorId },
        ...fields,
      };
    };
    const [sea, sand] = [{ tags: ['sea'] }, { contentPreview: 'On sand.' }];
    const filtered = [{ id: 'sand', phrase: 'sand' }];

    expect([some.filterCard(cardOf('ann', sea)), some.filterCard(cardOf('ben'))]).toEqual([null, null]);
    expect(some.filterCard(cardOf('ann', { subtitle: 'By the sea' }))).toBeNull();
    expect(some.filterCard(cardOf('ann', sand))).toEqual(cardOf('ann', { ...sand, filtered }));
    for (const card of [cardOf('ann'), cardOf(VIEWER, sea), cardOf(VIEWER, sand)])
      expect(some.filterCard(card)).toBe(card);
    expect(NO_FILTER.filterCard(cardOf('ann', sea))).toEqual(cardOf('ann', sea));
    expect([some.filterComment('ann', 'The sea'), some.filterComment('ben', 'Looms')]).toEqual([[], 'hidden']);

    const ofComments = new ListFilter(VIEWER, new Map(), new Set(), { posts: none, comments: phrases });
    expect(ofComments.filterCard(cardOf('ann', sea))).toEqual(cardOf('ann', sea));
    expect(['ann', VIEWER].map((by) => ofComments.filterComment(by, 'The sea'))).toEqual(['hidden', []]);
    expect(ofComments.filterComment('ann', 'On sand')).toEqual(filtered);
  });

  it('gives the pages of a plain scan without hidden posts, full ones, while posts are published and deleted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(author, { maxLength: 60 }),
        filter,
        fc.array(change, { maxLength: 20 }),
        fc.integer({ min: 1, max: 6 }),
        async (authors, { accounts, posts }, changes, limit) => {
          const hides = new ListFilter(VIEWER, accounts, posts);
          const isShown = ({ at, authorId }: Post) => !hides.hidesPost(String(at), authorId);
          let list = authors.map((authorId, index): Post => ({ at: authors.length - 1 - index, authorId }));
          let next = list.length;
          let stable = list.filter(isShown);
          const seen: Post[] = [];

          for (let after = Infinity; ;) {
            let rowsRead = 0;
            const page = await fullPage<Post, Post>(
              limit,
              async (last, count) => {
                const rows = list.filter(({ at }) => at < (last?.at ?? after)).slice(0, count);
                rowsRead += rows.length;
                return rows;
              },
              async (rows) => rows.map((post) => (isShown(post) ? post : null)),
              ({ at }) => String(at),
              hides.maxRows,
            );
            seen.push(...page.data);
            expect(rowsRead).toBeLessThanOrEqual(hides.maxRows);
            if (page.page.nextCursor === null) break;
            expect(page.data).toHaveLength(limit);
            after = Number(page.page.nextCursor);
            const step = changes.pop();
            if (step === undefined) continue;
            if ('publish' in step) list = [{ at: next++, authorId: step.publish }, ...list];
            else list = list.filter((_, index) => index !== step.remove % list.length);
            stable = stable.filter((post) => list.includes(post));
          }

          const positions = seen.map(({ at }) => at);
          expect(positions).toEqual([...new Set(positions)].sort((a, b) => b - a));
          expect(seen.filter((post) => !isShown(post))).toEqual([]);
          expect(stable.filter((post) => !seen.includes(post))).toEqual([]);
        },
      ),
    );
  });
});
