import fc from 'fast-check';
import { type OpenIndex, postDocument, useIndex, userDocument } from './test-index.js';
import type { IndexQuery } from '../../../src/search/search-index.js';
import { termsOf } from '../../../src/common/words.js';

/** The contract of queries of every engine. */
export const describeQueries = (open: OpenIndex): void =>
  describe('an index of some posts and people', () => {
    const index = useIndex(open);
    const engine = postDocument({
      title: 'Notes on the Analytical Engine',
      tags: ['mathematics', 'machine-learning'],
      body: '# The loom\n\nIt weaves *algebraic patterns* as [looms](https://example.org/flowers) weave.',
    });
    const loom = postDocument({
      title: 'Jacquard and his loom',
      type: 'story',
      body: 'An engine is mentioned. Algebraic, it has no patterns.',
    });
    const chinese = postDocument({ title: '深層学習入門', tags: ['研究'], body: '機械学習の本。' });
    const marked = postDocument({ body: 'Fr**an**k&nbsp;said <i class="hideous">so</i>. <!-- hidden --> Do\u00adnau' });
    const accents = postDocument({ title: 'Crème brûlée', type: 'poem', authorId: engine.authorId });
    const ada = userDocument({ username: 'ada_lovelace', fullName: 'Ada Lovelace', followersCount: 100 });
    const adam = userDocument({
      username: 'adam1',
      fullName: 'Адам Смит',
      headline: 'Reads looms',
      followersCount: 5_000,
    });
    beforeAll(() => index.fill([engine, loom, chinese, accents, marked], [ada, adam]));
    const search = (q: string, query: Partial<IndexQuery> = {}) =>
      index.reader.query({ terms: termsOf(q), kinds: ['posts', 'users', 'tags'], sort: 'relevance', ...query });
    const ids = (documents: { id: string }[]) => documents.map(({ id }) => id).sort();

    it.each([
      ['every word, anywhere in the text', 'loom algebraic', [engine, loom]],
      ['a phrase', '"algebraic patterns"', [engine]],
      ['a heading', '"the loom"', [engine]],
      ['half a word at the end', 'analyt', [engine]],
      ['no half word before the end', 'analyt engine', []],
      ['another case, without accents', 'CREME BRULEE', [accents]],
      ['two characters of a script without spaces', '学習', [chinese]],
      ['characters in their order only', '習学', []],
      ['a word of a tag', 'learning', [engine]],
      ['no address of a link', 'flowers', []],
      ['a word with marks inside', 'frank', [marked]],
      ['a word with a soft hyphen', 'donau', [marked]],
      ['no name of a class', 'hideous', []],
      ['no name of a character', 'nbsp', []],
      ['no comment', 'hidden', []],
    ])('finds %s', async (_case, q, posts) => {
      const { terms, ...rest } = { terms: termsOf(q), kinds: ['posts' as const], sort: 'latest' as const };
      const answer = await index.reader.query({ terms, ...rest });
      const found = answer.matches === 'all' && answer.corrected === null ? answer.posts : [];
      expect(ids(found)).toEqual(ids(posts));
    });

    it('ranks a title above a body', async () => {
      expect(await index.find('loom')).toEqual([loom.id, engine.id]);
    });

    it('finds words in both spellings, and no phrase across omitted text', async () => {
      const signs = postDocument({ title: 'From C++ to C#', body: "I don't count 1,000,000 t-shirts." });
      const repeated = postDocument({ title: 'Repeated', body: `${'again '.repeat(100)}before again after` });
      await index.fill([engine, loom, chinese, accents, signs, repeated], [ada, adam]);
      for (const q of ['c++', 'C#', 'dont', 'don’t', '1000000', '1,000,000', 't-shirts'])
        expect(await index.find(q)).toEqual([signs.id]);
      expect(await index.find('c', { sort: 'latest' })).toEqual([]);
      expect(await index.find('"before after"')).not.toContain(repeated.id);
      expect(await index.find('"again again"')).toEqual([repeated.id]);
      await index.fill([engine, loom, chinese, accents], [ada, adam]);
    });

    it('narrows by type, tag and author', async () => {
      expect(await index.find('loom', { type: 'story' })).toEqual([loom.id]);
      expect(await index.find('loom', { tag: 'machine-learning' })).toEqual([engine.id]);
      expect(await index.find('loom', { tag: 'machine' })).toEqual([]);
      expect(await index.find('creme', { authorId: engine.authorId })).toEqual([accents.id]);
      expect(await index.find('creme', { authorId: loom.authorId })).toEqual([]);
    });

    it('lists the newest first, and continues after a key', async () => {
      const { posts } = await search('loom', { sort: 'latest' });
      expect(posts.map(({ id }) => id)).toEqual([loom.id, engine.id]);
      expect(await index.find('loom', { sort: 'latest', after: posts[0]!.key })).toEqual([engine.id]);
      expect(await index.find('loom', { sort: 'latest', after: posts[1]!.key })).toEqual([]);
    });

    it('uses the time of publication as the age of a post, not its start', async () => {
      const long = postDocument({ title: 'Begun long ago', id: '65920080'.padEnd(24, '1') });
      const before = postDocument({ title: 'Begun before', publishedAt: long.publishedAt + 100 });
      const late = { ...long, publishedAt: before.publishedAt + 100 };
      await index.fill([engine, loom, chinese, accents, before, long], [ada, adam]);
      expect(await index.find('begun', { sort: 'latest' })).toEqual([before.id, long.id]);
      await index.fill([engine, loom, chinese, accents, before, late], [ada, adam]);
      const { posts } = await search('begun', { sort: 'latest' });
      expect(posts.map(({ id, publishedAt }) => [id, publishedAt])).toEqual([
        [late.id, late.publishedAt],
        [before.id, before.publishedAt],
      ]);
      await index.fill([engine, loom, chinese, accents, marked], [ada, adam]);
    });

    it('counts the exact name towards the limit of suggestions', async () => {
      const fan = userDocument({ username: 'ada_lovelace_fan', fullName: 'Fan', followersCount: 9_000 });
      await index.fill([], [ada, adam, fan]);
      const suggest = async (limit: number) => (await index.reader.suggest(termsOf('ada_lovelace'), limit)).userIds;
      expect([await suggest(1), await suggest(2)]).toEqual([[ada.id], [ada.id, fan.id]]);
      await index.fill([engine, loom, chinese, accents, marked], [ada, adam]);
    });

    it('finds people by parts of their names, the most followed first, and the exact name before all others', async () => {
      const users = async (q: string) => (await search(q)).users.map(({ id }) => id);
      expect(await users('ada')).toEqual([adam.id, ada.id]);
      expect(await users('lovelace ada')).toEqual([ada.id]);
      expect(await users('ada_lovelace')).toEqual([ada.id]);
      expect(await users('смит')).toEqual([adam.id]);
      expect(await users('reads looms')).toEqual([adam.id]);
      expect((await users('adam1'))[0]).toBe(adam.id);
    });

    it('finds tags by their words, the most used first', async () => {
      expect((await search('learn')).tags).toEqual([{ tag: 'machine-learning', postsCount: 1 }]);
      expect((await search('learning mach')).tags).toEqual([{ tag: 'machine-learning', postsCount: 1 }]);
      expect((await search('研究')).tags).toEqual([{ tag: '研究', postsCount: 1 }]);
    });

    it('corrects a typo if no document has the word, and returns the correction', async () => {
      const answer = await search('analytcal engine');
      expect(answer.corrected?.map(({ words }) => words)).toEqual([['analytical'], ['engine']]);
      expect(answer.posts.map(({ id }) => id)).toEqual([engine.id]);
      expect((await search('lovleace')).users.map(({ id }) => id)).toEqual([ada.id]);
    });

    it('returns documents with some of the words if none has all, and marks the result', async () => {
      const answer = await search('jacquard unheard-of');
      expect(answer).toMatchObject({ matches: 'any', corrected: null });
      expect(answer.posts.map(({ id }) => id)).toEqual([loom.id]);
      expect(await search('zzzzzz')).toMatchObject({ posts: [], users: [], tags: [], matches: 'all', corrected: null });
    });

    it('suggests people, tags and completions of the last word', async () => {
      expect((await index.reader.suggest(termsOf('a'), 5)).userIds).toEqual([adam.id, ada.id]);
      expect((await index.reader.suggest(termsOf('reads'), 5)).userIds).toEqual([]);
      expect(await index.reader.suggest(termsOf('mat'), 5)).toEqual({
        userIds: [],
        tags: [{ tag: 'mathematics', postsCount: 1 }],
        words: ['mathematics'],
      });
      expect((await index.reader.suggest(termsOf('the ana'), 5)).words).toEqual(['the analytical']);
    });

    it('treats any input as text', async () => {
      const texts = [
        '"',
        '*',
        'title:loom',
        'loom OR 1',
        'NEAR(a b)',
        '-loom',
        '^loom',
        '{title}: x',
        '§tstory',
        "'; DROP TABLE posts",
        'a"b"c" *',
      ];
      for (const q of [...texts, 'x'.repeat(10_000), '\u202eabc\u202c', 'a\u{d800}b', '\u0000', '字'.repeat(500)]) {
        const terms = termsOf(q);
        if (terms.length === 0) continue;
        await search(q);
        await index.reader.suggest(terms, 5);
      }
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }), async (q) => {
          if (termsOf(q).length > 0) await search(q);
        }),
      );
    });
  });
