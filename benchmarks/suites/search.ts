import type { Binary, ObjectId } from 'mongodb';
import { decompressBody } from '../../src/rendering/body-codec.js';
import type { ReadText } from '../../src/rendering/rendered-html.js';
import { isSpellable, wordsOf } from '../../src/common/words.js';
import { findComponent } from '../../test/support/optional.js';
import type { Dataset } from '../data/dataset.js';
import { runContest, type Contender } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { seededRandom, shuffled } from '../harness/statistics.js';
import { specOf, UNCACHED } from './dialects.js';
import { HOT_READS_PER_SECOND, runBeside, stormPlan } from './hot-reads.js';
import { closedPlan } from './plans.js';
import type { Suite } from './suite.js';

/** Maximum number of posts in which words are counted. */
const SAMPLE = 2_000;
const QUERIES = 5_000;
/** queries before a run */
const WARM_UP = 200;
/** Concurrent searches. */
const CONNECTIONS = 4;
export const SEARCHING = {
  SEARCH: 'sqlite',
  RATE_LIMIT_SEARCHES_PER_MINUTE: '10000000',
  RATE_LIMIT_VISITOR_SEARCHES_PER_MINUTE: '10000000',
};

/** Words by the share of posts that contain them, and titles. */
type Words = { rare: string[]; common: string[]; titles: string[][]; usernames: string[] };
type QueriesOf = (words: Words, random: () => number) => string[];

function suite(name: string, title: string, question: string, queriesOf: QueriesOf, route = 'search'): Suite {
  return {
    name,
    title,
    question: `${question} Nothing is cached; ${CONNECTIONS} connections.`,
    async run(context) {
      const dataset = await context.dataset();
      const random = seededRandom(dataset.seed);
      const words = await sampleWords(dataset, random);
      const queries = shuffled(queriesOf(words, random), random).slice(0, QUERIES);
      const requests = queries.map((q) => asked(q, route));
      const plan = () => closedPlan(context, requests, { connections: CONNECTIONS });
      const productWith = (subject: string, hasOpenSearch: boolean): Contender => ({
        subject,
        spec: () =>
          specOf('product', dataset, { env: { ...UNCACHED, ...SEARCHING }, ...(hasOpenSearch && { hasOpenSearch }) }),
        plan: async ({ url }) => {
          await warmUp(url, requests.slice(0, WARM_UP));
          return plan();
        },
      });
      const contenders = [productWith('product', false)];
      if (findComponent('opensearch') !== undefined) contenders.push(productWith('product@opensearch', true));
      if (route === 'search') {
        const spec = () => specOf('express-optimised', dataset);
        contenders.unshift({ subject: 'express-optimised', spec, plan });
      }
      await runContest(context, { suite: name, contenders });
    },
  };
}

const pairs = (words: string[], random: () => number): string[] =>
  Array.from({ length: QUERIES }, () => `${pick(words, random)} ${pick(words, random)}`);
const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)]!;

/** Runs searches of all kinds as fast as the server responds, beside readers. */
const SEARCH_STORM: Suite = {
  name: 'search-storm',
  title: 'Reads beside searches',
  question: `Hot reads at ${HOT_READS_PER_SECOND}/s (open loop), alone and beside ${CONNECTIONS} connections that search without a pause: p99 of the reads.`,
  async run(context) {
    const dataset = await context.dataset();
    const random = seededRandom(dataset.seed);
    const { common, titles } = await sampleWords(dataset, random);
    // Few queries repeat, because the cache would serve repeated ones.
    const queries = shuffled([...pairs(common, random), ...titles.flatMap((title) => typosOf(title, random))], random);
    const searches = queries.slice(0, QUERIES).map((q) => asked(q));
    await runBeside(context, dataset, {
      suite: 'search-storm',
      spec: () => specOf('product', dataset, { env: SEARCHING }),
      beside: { background: { subject: 'searches@storm', plan: () => stormPlan(context, searches, CONNECTIONS) } },
    });
  },
};

export const SEARCH_SUITES: Suite[] = [
  suite('search-rare', 'Search, rare words', 'A word that fewer than one in 200 posts has.', ({ rare }) => rare),
  suite('search-common', 'Search, common words', 'A word that a tenth to a third of all posts has.', ({ common }) =>
    repeated(common),
  ),
  suite(
    'search-two-common',
    'Search, two common words',
    'Two words that a tenth to a third of all posts has.',
    ({ common }, random) => pairs(common, random),
  ),
  suite(
    'search-typo',
    'Search with a typo',
    'Three words of a title, one of them with two letters swapped.',
    ({ titles }, random) => titles.flatMap((title) => typosOf(title, random)),
  ),
  suite(
    'search-suggest',
    'Suggestions',
    'The first two to six letters of a word or of a username.',
    ({ rare, common, usernames }, random) =>
      [...rare, ...common, ...usernames].map((word) => word.slice(0, 2 + Math.floor(random() * 5))),
    'search/suggest',
  ),
  SEARCH_STORM,
];

/**
 * The server may refuse a query while its threads start, or while the operating system has not cached the file of the index. Concurrent
 * requests use several connections, so they reach all processes and threads.
 */
async function warmUp(url: string, requests: PreparedRequest[]): Promise<void> {
  const left = [...requests];
  while (left.length > 0) {
    const batch = left.splice(0, 4 * CONNECTIONS);
    await Promise.all(batch.map(async ({ path }) => (await fetch(`${url}${path}`)).arrayBuffer()));
  }
}

function asked(q: string, route = 'search'): PreparedRequest {
  return { method: 'GET', path: `/v1/${route}?q=${encodeURIComponent(q)}`, expect: { status: 200 } };
}

/** Repeats the few words, because the server caches nothing. */
function repeated(words: string[]): string[] {
  return Array.from({ length: QUERIES }, (_, at) => words[at % words.length]!);
}

function typosOf(words: string[], random: () => number): string[] {
  const title = words.slice(0, 3);
  const at = title.findIndex((word) => word.length >= 5 && isSpellable(word));
  if (at < 0) return [];
  const letters = [...title[at]!];
  const place = 1 + Math.floor(random() * (letters.length - 2));
  letters.splice(place, 2, letters[place + 1]!, letters[place]!);
  return [title.with(at, letters.join('')).join(' ').slice(0, 100)];
}

async function sampleWords({ product }: Dataset, random: () => number): Promise<Words> {
  const posts = await product
    .collection<{ _id: ObjectId; title: string }>('posts')
    .find({ isListed: true }, { projection: { title: 1 }, sort: { _id: 1 }, limit: SAMPLE })
    .toArray();
  const bodies = await product
    .collection<{ _id: ObjectId; codec: string; text: { rawLength: number; bytes: Binary } }>('post_bodies')
    .find({ _id: { $in: posts.map(({ _id }) => _id) } })
    .toArray();
  const counts = new Map<string, number>();
  for (const body of bodies) {
    const { rawLength, bytes } = body.text;
    const { text } = JSON.parse(decompressBody({ codec: body.codec, rawLength, bytes: bytes.buffer })) as ReadText;
    for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const between = (name: string, least: number, most: number): string[] => {
    const found = [...counts].filter(([word, count]) => count >= least && count < most && word.length > 3);
    if (found.length === 0) throw new Error(`there are no ${name} words in ${bodies.length} posts`);
    return shuffled(found.map(([word]) => word).sort(), random);
  };
  const users = await product.collection<{ username: string }>('users').find({}, { limit: 2_000 }).toArray();
  return {
    // In a small dataset, words of a single post.
    rare: between('rare', 1, Math.max(2, bodies.length / 200)),
    common: between('common', bodies.length / 10, bodies.length / 3),
    titles: posts.map(({ title }) => wordsOf(title)),
    usernames: users.map(({ username }) => username),
  };
}
