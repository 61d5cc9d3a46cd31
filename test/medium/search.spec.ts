import { ObjectId } from 'mongodb';
import { CodedError } from '../../src/common/errors.js';
import { decompressBody } from '../../src/rendering/body-codec.js';
import type { ReadText } from '../../src/rendering/rendered-html.js';
import { IndexablePostsService, type PostText } from '../../src/posts/indexable-posts.service.js';
import { UserNamesService } from '../../src/users/user-names.service.js';
import { IndexReaders } from '../../src/search/index-readers.js';
import { IndexMaintenanceService } from '../../src/search/index-maintenance.service.js';
import { isOneTypoApart } from '../../src/search/spelling.js';
import { MAX_CANDIDATES } from '../../src/search/search-index.js';
import { isSpellable, type Term, termsOf, wordsOf } from '../../src/common/words.js';
import { seededRandom } from '../../benchmarks/harness/statistics.js';
import { auditIndex, indexAll, useApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import { askedAgain } from '../support/repeated-requests.js';
import { scale } from '../support/scale.js';

type Known = PostText & { titleWords: string[]; columns: string[][]; words: Set<string> };

const SAMPLES = scale('searchSamples');
/** Lower bound for each kind of query; 1 is the best possible order. */
const NDCG_FLOOR = 0.85;

describe('search over the dataset', () => {
  const app = useApp({ seeded: 'small', search: true });
  const random = seededRandom(20_261_123);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  let posts: Known[];
  let vocabulary: Set<string>;

  beforeAll(async () => {
    await indexAll(app);
    const { texts } = await app.app.get(IndexablePostsService).after(null, 2_000);
    posts = texts.map((text) => {
      const titleWords = wordsOf(text.title);
      const body = (JSON.parse(decompressBody(text.text)) as ReadText).text;
      const columns = [titleWords, text.tags.flatMap(wordsOf), wordsOf(body), wordsOf(text.subtitle ?? '')];
      return { ...text, titleWords, columns, words: new Set(columns.flat()) };
    });
    vocabulary = new Set(posts.flatMap(({ words }) => [...words]));
  });

  const find = (terms: Term[]) =>
    askedAgain(
      () => app.app.get(IndexReaders).query({ terms, kinds: ['posts'], sort: 'latest' }),
      (answer) => answer instanceof CodedError && answer.code === 'overloaded',
    );
  const get = (url: string) =>
    askedAgain(
      () => app.client.get(url),
      (answer) => !(answer instanceof Error) && answer.status === 503,
    );

  it('finds the same documents for several words as a scan', async () => {
    let compared = 0;
    for (let sample = 0; sample < SAMPLES; sample++) {
      const { columns } = pick(posts);
      const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
        pick(pick(columns.filter((own) => own.length > 0))),
      );
      const isCut = random() < 0.3;
      const q = words.join(' ').slice(0, isCut ? -1 : undefined);
      const terms = termsOf(`${q}${isCut ? '' : ' '}`);
      if (terms.length === 0) continue;
      const scanned = posts.filter((post) => gainOf(post, terms) > 0);
      // The index returns at most this number at a time.
      if (scanned.length >= MAX_CANDIDATES) continue;
      compared++;
      const { posts: found, corrected, matches } = await find(terms);
      const isExact = corrected === null && matches === 'all';
      expect([q, isExact ? found.map(({ id }) => id).sort() : []]).toEqual([q, scanned.map(({ id }) => id).sort()]);
    }
    expect(compared).toBeGreaterThan(SAMPLES / 4);
  });

  it('finds a post by its title in the first ten although one of its longer words has a typo', async () => {
    const missed: string[] = [];
    let compared = 0;
    for (let sample = 0; sample < SAMPLES; sample++) {
      const post = pick(
        posts.filter(({ titleWords }) => titleWords.slice(0, 8).some((word) => word.length >= 5 && isSpellable(word))),
      );
      const title = post.titleWords.slice(0, 8);
      const at = pick(title.flatMap((word, index) => (word.length >= 5 && isSpellable(word) ? [index] : [])));
      const typo = typoOf(title[at]!);
      // An existing word matches itself, and as the last word also its completions.
      const isLast = at === title.length - 1;
      if (vocabulary.has(typo) || (isLast && [...vocabulary].some((word) => word.startsWith(typo)))) continue;
      // "rood" is as near to "food" as to "brood".
      if ([...vocabulary].filter((word) => isOneTypoApart(typo, word)).length > 1) continue;
      compared++;
      const q = title.with(at, typo).join(' ').slice(0, 100);
      const { body } = await get(`/v1/search?kind=posts&limit=10&q=${encodeURIComponent(q)}`);
      const found: string[] = body.data.posts.map(({ id }: Known) => id);
      // Other posts with the same title are equally good.
      const terms = termsOf(`${title.join(' ')} `);
      const isCrowded =
        found.length === 10 &&
        found.every(
          (id) =>
            gainOf(
              posts.find((other) => other.id === id)!,
              terms,
            ) === 3,
        );
      if (!found.includes(post.id) && !isCrowded) missed.push(`${q} (${post.title})`);
    }
    expect(missed).toEqual([]);
    expect(compared).toBeGreaterThan(SAMPLES / 4);
  });

  it('ranks the wanted documents high: nDCG of 300 judged queries', async () => {
    const gains: Record<string, number[]> = {};
    for (let sample = 0; sample < 300; sample++) {
      const post = pick(posts);
      const text = post.columns[2]!;
      const from = Math.floor(random() * Math.max(1, text.length - 5));
      const title = post.titleWords.slice(0, 4).join(' ');
      const queries = {
        'title words': `${title} `,
        'a title word and a tag': `${post.titleWords[0]!} ${post.columns[1]![0] ?? ''} `,
        'a phrase of the text': `"${text.slice(from, from + 5).join(' ')}"`,
        'words of the text': `${text.slice(from, from + 3).join(' ')} `,
        'an unfinished title': title.slice(0, -2),
      };
      const kind = Object.keys(queries)[sample % 5] as keyof typeof queries;
      const q = queries[kind].slice(0, 100);
      const terms = termsOf(q);
      if (terms.length === 0) continue;
      const ideal = posts.map((other) => gainOf(other, terms)).sort((a, b) => b - a);
      if (ideal[0] === 0) continue;
      const { body } = await get(`/v1/search?kind=posts&limit=10&q=${encodeURIComponent(q)}`);
      const found = body.data.posts.map(({ id }: Known) =>
        gainOf(
          posts.find((other) => other.id === id)!,
          terms,
        ),
      );
      (gains[kind] ??= []).push(discounted(found) / discounted(ideal));
    }
    const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    const means = Object.fromEntries(Object.entries(gains).map(([kind, values]) => [kind, mean(values)]));
    expect(Object.keys(means)).toHaveLength(5);
    if (Math.min(...Object.values(means)) < NDCG_FLOOR) throw new Error(JSON.stringify(means));
  });

  it('equals the database, and a rescan indexes a document that changed without an event', async () => {
    const { documents, differences } = await auditIndex(app);
    expect(documents).toBeGreaterThan(4_000);
    expect(differences).toEqual([]);
    const _id = ObjectId.createFromHexString(pick(posts).id);
    await app.db.collection('posts').updateOne({ _id }, { $set: { title: 'Behind the back of the server' } });
    expect((await auditIndex(app)).differences).toEqual([`posts ${_id.toHexString()}`]);
    await indexAll(app);
    expect((await auditIndex(app)).differences).toEqual([]);
    expect(await app.app.get(IndexMaintenanceService).status()).toMatchObject({ isReady: true, scan: null });
  });

  it('queries the database by index only', async () => {
    const { id } = pick(posts);
    const [texts, names] = [app.app.get(IndexablePostsService), app.app.get(UserNamesService)];
    const [user] = (await names.after(null, 10)).names;
    const word = pick(posts).titleWords[0]!;
    const plans = await plansOf(app, async () => {
      await texts.after(null, 50);
      await texts.after(id, 50);
      await texts.find([id]);
      await names.after(null, 50);
      await names.after(user!.id, 50);
      await names.find([user!.id]);
      for (const kind of ['posts', 'users', 'tags', 'all'])
        await get(`/v1/search?kind=${kind}&q=${encodeURIComponent(word)}&limit=9`);
      await get(`/v1/search/suggest?q=${user!.username.slice(0, 3)}&limit=9`);
    });
    expect(plans.length).toBeGreaterThan(8);
    for (const { plan, docsExamined, nReturned } of plans) {
      expect(plan).toMatch(/IXSCAN|IDHACK|EXPRESS/);
      expect(plan).not.toMatch(/COLLSCAN|\bSORT\b/);
      // The index still contains rows of deleted accounts.
      expect(docsExamined - nReturned).toBeLessThanOrEqual(2);
    }
  });

  /** Returns the word with one letter added, missing or replaced, or with two letters swapped. */
  function typoOf(word: string): string {
    const letters = [...word];
    const at = Math.floor(random() * (letters.length - 1));
    const other = pick([...'abcdefghijklmnopqrstuvwxyz'].filter((letter) => letter !== letters[at]));
    const typos = [
      letters.toSpliced(at, 1),
      letters.toSpliced(at, 0, other),
      letters.with(at, other),
      letters.toSpliced(at, 2, letters[at + 1]!, letters[at]!),
    ];
    const typo = pick(typos).join('');
    return typo === word ? typoOf(word) : typo;
  }
});

/** Relevance of a post for these terms: all of them in its title, in title and tags, or anywhere. */
function gainOf({ columns, words }: Known, terms: Term[]): number {
  // A whole word of a term is missing in most posts.
  const isMissing = ({ words: own, isPrefix }: Term): boolean =>
    own.some((word, at) => !(isPrefix && at === own.length - 1) && !words.has(word));
  if (terms.some(isMissing)) return 0;
  const isIn = (texts: string[][]): boolean => terms.every((term) => texts.some((text) => hasTerm(text, term)));
  if (isIn(columns.slice(0, 1))) return 3;
  if (isIn(columns.slice(0, 2))) return 2;
  return isIn(columns) ? 1 : 0;
}

function discounted(gains: number[]): number {
  return gains.slice(0, 10).reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0);
}

function hasTerm(text: string[], { words, isPrefix }: Term): boolean {
  return text.some((_, from) =>
    words.every((word, at) => {
      const other = text[from + at];
      return other === word || (isPrefix && at === words.length - 1 && other?.startsWith(word));
    }),
  );
}
