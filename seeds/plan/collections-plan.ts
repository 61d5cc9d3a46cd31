import { MAX_COLLECTIONS } from '../../src/collections/collection-rules.js';
import { DEMO_ACCOUNTS } from '../../src/common/demo-accounts.js';
import { DEMO_POSTS, type DemoSeries } from '../demo-posts/demo-posts.js';
import { Random } from '../sampling/random.js';
import { orderByTime, soonAfter } from './clock.js';
import type { PeoplePlan } from './people-plan.js';
import { POST_STATES, type PostsPlan } from './posts-plan.js';
import { STREAMS } from './streams.js';

const SERIES_SHARE = 0.15;
const PRIVATE_SHARE = 0.25;
/** The first rows: two collections of each demo account, and one more of the demo writer, who has two series. */
const DEMO_ROWS = 2 * DEMO_ACCOUNTS.length + 1;
const DEMO_SERIES: Readonly<Record<number, DemoSeries>> = { 4: 'explained', 8: 'letters' };
const ITEMS = { least: 5, most: 50 };

/** One column per property, one row per collection, in the order of their times. A second table holds the items of all collections. */
export interface CollectionsPlan {
  count: number;
  owner: Uint32Array;
  /** Number of a demo account's collection, from 1 on; 0 for all other collections. */
  demo: Uint8Array;
  createdAt: Uint32Array;
  isSeries: Uint8Array;
  isPublic: Uint8Array;
  /** The items of collection c are the rows `firstItem[c] … firstItem[c + 1] - 1`, in the order of the collection. */
  firstItem: Uint32Array;
  post: Uint32Array;
  addedAt: Uint32Array;
  seriesItems: number;
  /** Number of collections by user. */
  ofOwner: Uint32Array;
}

interface Drawn {
  owner: number;
  demo: number;
  createdAt: number;
  isSeries: boolean;
  isPublic: boolean;
  posts: number[];
  addedAt: number[];
}

/** Posts of an author, as `Plan` has them. */
type ByAuthor = { postsByAuthor: Uint32Array; firstPost: Uint32Array };

export function planCollections(
  seed: number,
  count: number,
  people: PeoplePlan,
  posts: PostsPlan,
  byAuthor: ByAuthor,
  now: number,
): CollectionsPlan {
  const random = new Random(seed, STREAMS.collections);
  const inSeries = new Uint8Array(posts.count);
  const ofOwner = new Uint32Array(people.count);
  const drawn: Drawn[] = [];
  while (drawn.length < count) {
    const row = drawn.length;
    const demo = row < DEMO_ROWS ? row % DEMO_ACCOUNTS.length : null;
    const isSeries = demo === null ? random.chance(SERIES_SHARE) : DEMO_SERIES[row] !== undefined;
    const owner = demo ?? (isSeries ? people.byFame : people.byActivity).sample(random);
    if (ofOwner[owner]! >= MAX_COLLECTIONS) continue;
    const size = random.between(ITEMS.least, ITEMS.most);
    const own = isSeries ? drawParts(owner, size, posts, byAuthor, inSeries, DEMO_SERIES[row]) : [];
    const chosen = own.length > 0 ? own : drawPosts(random, size, posts);
    const createdAt = soonAfter(random, people.createdAt[owner]!, now);
    drawn.push({
      owner,
      demo: demo === null ? 0 : row + 1,
      createdAt,
      isSeries: own.length > 0,
      isPublic: demo !== null || !random.chance(PRIVATE_SHARE),
      posts: chosen,
      addedAt: chosen.map((post) => soonAfter(random, Math.max(createdAt, posts.createdAt[post]!), now)),
    });
    ofOwner[owner]!++;
  }
  return { ...columnsOf(drawn), ofOwner };
}

/** Returns the author's own posts, oldest first, none of them in a series yet. Returns nothing if there are too few. */
function drawParts(
  author: number,
  most: number,
  posts: PostsPlan,
  { postsByAuthor, firstPost }: ByAuthor,
  inSeries: Uint8Array,
  series?: DemoSeries,
): number[] {
  const parts = [...postsByAuthor.subarray(firstPost[author], firstPost[author + 1])]
    .filter(
      (post) => hasReaders(posts, post) && inSeries[post] === 0 && (author !== 0 || isPartOf(posts, post, series)),
    )
    .slice(0, most);
  if (parts.length < ITEMS.least) return [];
  for (const post of parts) inSeries[post] = 1;
  return parts;
}

/** Many lists contain popular posts. */
function drawPosts(random: Random, size: number, posts: PostsPlan): number[] {
  const chosen = new Set<number>();
  // A small dataset may have fewer popular posts than `size`.
  for (let attempt = 0; chosen.size < size && attempt < 10 * size; attempt++)
    chosen.add(posts.byPopularity.sample(random));
  return [...chosen];
}

const isPartOf = ({ byHand, example }: PostsPlan, post: number, series: DemoSeries | undefined): boolean =>
  (post === example ? 'explained' : DEMO_POSTS[byHand[post]! - 1]?.series) === series;

const hasReaders = (posts: PostsPlan, post: number): boolean =>
  posts.state[post] === POST_STATES.listed || posts.state[post] === POST_STATES.hidden;

function columnsOf(drawn: Drawn[]): Omit<CollectionsPlan, 'ofOwner'> {
  const order = orderByTime(Uint32Array.from(drawn, ({ createdAt }) => createdAt));
  const sorted = Array.from(order, (row) => drawn[row]!);
  const firstItem = new Uint32Array(drawn.length + 1);
  sorted.forEach(({ posts }, row) => (firstItem[row + 1] = firstItem[row]! + posts.length));
  return {
    count: drawn.length,
    owner: Uint32Array.from(sorted, ({ owner }) => owner),
    demo: Uint8Array.from(sorted, ({ demo }) => demo),
    createdAt: Uint32Array.from(sorted, ({ createdAt }) => createdAt),
    isSeries: Uint8Array.from(sorted, ({ isSeries }) => Number(isSeries)),
    isPublic: Uint8Array.from(sorted, ({ isPublic }) => Number(isPublic)),
    firstItem,
    post: Uint32Array.from(sorted.flatMap(({ posts }) => posts)),
    addedAt: Uint32Array.from(sorted.flatMap(({ addedAt }) => addedAt)),
    seriesItems: sorted.reduce((sum, { isSeries, posts }) => sum + (isSeries ? posts.length : 0), 0),
  };
}

/** Returns the first public list of the demo writer. */
export function findExampleCollection({ owner, isPublic, isSeries }: CollectionsPlan): number {
  return owner.findIndex((user, row) => user === 0 && isPublic[row] === 1 && isSeries[row] === 0);
}
