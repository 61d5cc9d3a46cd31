import { ObjectId } from 'mongodb';
import { LIKED_POSTS } from '../../src/interactions/interaction.schema.js';
import { TAG_FOLLOWS, MAX_FOLLOWED_TAGS, tagFollowId } from '../../src/tags/tag-follow.schema.js';
import { type Dataset, randomPositions } from '../data/dataset.js';
import { ensureFollowers } from '../data/followers.js';
import { exchange } from '../harness/capture.js';
import { type Contender, runContest } from '../harness/contest.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import { FeedPages, specOf, UNCACHED } from './dialects.js';
import { closedPlan, FreshSlices } from './plans.js';
import { SEARCHING } from './search.js';
import type { Suite } from './suite.js';

const CONNECTIONS = 4;
const READERS = 3_000;
/** readers whose affinities are fresh */
const KNOWN_READERS = 20;
const POSTS = 5_000;
const DAYS = 400;
const RELATED_LIMITS = [9, 10, 11, 12, 13, 14, 15];
const DAY_MS = 86_400_000;

type RequestsOf = (url: string) => Promise<PreparedRequest[]>;

/** Each ratio compares a route with the nearest older read. */
export const DISCOVERY: Suite = {
  name: 'discovery',
  title: 'Discovery',
  question: `The personal feed, related posts, followed tags and stats of ${DAYS} days beside the nearest older read; nothing is cached, ${CONNECTIONS} connections.`,
  async run(context) {
    const dataset = await context.dataset();
    const { posts } = await dataset.productOrder();
    const spread = randomPositions(posts.length, dataset.seed).slice(0, POSTS);
    const paths = (pathOf: (id: string) => string): PreparedRequest[] =>
      spread.map((at) => ({ method: 'GET', path: pathOf(posts[at]!.id), expect: { status: 200 } }));
    const ownGet = (path: string, userId: string): PreparedRequest => ({
      method: 'GET',
      path,
      headers: { authorization: `Bearer ${context.tokenOf(userId)}` },
      expect: { status: 200 },
    });

    const readers = await readersWithLikes(dataset);
    const firstTime = new FreshSlices(readers.slice(KNOWN_READERS), context.options.runs);
    const known = readers.slice(0, KNOWN_READERS).map((id) => ownGet('/v1/feed/for-you', id));
    const [plain, tagged] = await ensureFollowers(dataset.product, [10, 11]);
    await followTags(dataset, tagged!.id);
    const authors = await authorsOf(
      dataset,
      spread.map((at) => posts[at]!.id),
    );
    const from = new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
    const pages = new FeedPages('product', await dataset.productOrder(), context);
    const words = await titleWords(dataset);

    const contenders: Record<string, RequestsOf> = {
      'product@page': async () => spread.map((at) => pages.at(Math.max(1, at - 20))),
      'product@post': async () => paths((id) => `/v1/posts/${id}`),
      'product@search': async () =>
        words.map((q) => ({ method: 'GET', path: `/v1/search?q=${encodeURIComponent(q)}`, expect: { status: 200 } })),
      // The cache of related posts has no setting; each limit is a response of its own.
      'product@related': async () =>
        RELATED_LIMITS.flatMap((limit) => paths((id) => `/v1/posts/${id}/related?limit=${limit}`)),
      'product@for-you-first': async () => firstTime.next('product').map((id) => ownGet('/v1/feed/for-you', id)),
      'product@for-you': async () => known,
      'product@for-you-next': (url) => nextPages(url, known),
      'product@following': async () => [ownGet('/v1/feed/following', plain!.id)],
      'product@following-tags': async () => [ownGet('/v1/feed/following', tagged!.id)],
      'product@stats': async () => authors.map((id) => ownGet(`/v1/users/me/stats?from=${from}`, id)),
    };
    await runContest(context, {
      suite: 'discovery',
      contenders: Object.entries(contenders).map(([subject, requestsOf]): Contender => ({
        subject,
        spec: () => specOf('product', dataset, { env: { ...UNCACHED, ...SEARCHING } }),
        plan: async ({ url }) => closedPlan(context, await requestsOf(url), { connections: CONNECTIONS }),
      })),
      ratios: [
        ['product@for-you', 'product@page'],
        ['product@for-you-first', 'product@page'],
        ['product@for-you-next', 'product@page'],
        ['product@related', 'product@search'],
        ['product@following-tags', 'product@following'],
        ['product@stats', 'product@post'],
      ],
    });
  },
};

async function readersWithLikes({ product }: Dataset): Promise<string[]> {
  const rows = await product
    .collection('interactions')
    .aggregate<{ _id: ObjectId }>([
      { $match: LIKED_POSTS },
      { $limit: 20 * READERS },
      { $group: { _id: '$userId' } },
      { $sort: { _id: 1 } },
      { $limit: READERS },
    ])
    .toArray();
  if (rows.length <= KNOWN_READERS) throw new Error(`only ${rows.length} accounts like a post`);
  return rows.map(({ _id }) => _id.toHexString());
}

async function authorsOf({ product }: Dataset, ids: string[]): Promise<string[]> {
  const authors = await product
    .collection('posts')
    .distinct('authorId', { _id: { $in: ids.map((id) => ObjectId.createFromHexString(id)) } });
  return authors.map(String);
}

async function titleWords({ product }: Dataset): Promise<string[]> {
  const posts = await product
    .collection<{ _id: ObjectId; title: string }>('posts')
    .find({ isListed: true }, { projection: { title: 1 }, sort: { _id: 1 }, limit: POSTS })
    .toArray();
  return posts.map(({ title }) => title.split(' ').slice(0, 2).join(' '));
}

/** Lets the account follow the tags with the most posts. Repeating it changes nothing. */
async function followTags({ product }: Dataset, userId: string): Promise<void> {
  const account = ObjectId.createFromHexString(userId);
  const tags = await product
    .collection('posts')
    .aggregate<{ _id: string }>([
      { $match: { isListed: true } },
      { $unwind: '$tags' },
      { $sortByCount: '$tags' },
      { $limit: MAX_FOLLOWED_TAGS },
    ])
    .toArray();
  const rows = tags.map(({ _id: tag }) => ({
    replaceOne: {
      filter: { _id: tagFollowId(account, tag) },
      replacement: { userId: account, tag, seq: new ObjectId() },
      upsert: true,
    },
  }));
  await product.collection<{ _id: ReturnType<typeof tagFollowId> }>(TAG_FOLLOWS).bulkWrite(rows);
}

async function nextPages(url: string, firstPages: PreparedRequest[]): Promise<PreparedRequest[]> {
  return Promise.all(
    firstPages.map(async (request) => {
      const { page } = JSON.parse((await exchange(url, request)).body.toString()) as {
        page: { nextCursor: string | null };
      };
      if (page.nextCursor === null) throw new Error('a personal feed has one page only');
      return { ...request, path: `${request.path}?cursor=${page.nextCursor}` };
    }),
  );
}
