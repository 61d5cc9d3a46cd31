import { CollectionsWriter } from './documents/collections-writer.js';
import { CommentsWriter } from './documents/comments-writer.js';
import { demoCredentials } from './documents/demo-credentials.js';
import type { Batch, CollectionName, DatasetCollections } from './documents/document-types.js';
import { EXAMPLE_COUNTS, exampleBatches, exampleIds } from './documents/examples-writer.js';
import { FOLLOWED_TAGS, PairsWriter } from './documents/pairs-writer.js';
import { PeopleWriter } from './documents/people-writer.js';
import { PostsWriter, type WrittenPost } from './documents/posts-writer.js';
import { SeedIds } from './documents/seed-ids.js';
import { makePlan, type Plan } from './plan/plan.js';
import type { SeedRequest } from './profiles.js';
import { HeadlineWriter } from './text/headline.js';
import { MarkdownWriter } from './text/markdown.js';
import { SentencePools } from './text/sentence-pool.js';
import { DEMO_ACCOUNTS } from '../src/common/demo-accounts.js';
import { FeedListCollector, LIST_SORTS, listIdOf } from '../src/ranking/feed-list.js';

const BATCH_SIZE = 1000;
// A batch of posts becomes two, the cards and their bodies, together about 1 MB.
const POST_BATCH_SIZE = 250;

/** A complete dataset: exact counts beforehand, then the documents as a stream that can be started any number of times. */
export class Dataset {
  readonly counts: Record<CollectionName, number>;
  private readonly people: PeopleWriter;
  private readonly posts: PostsWriter;
  private readonly comments: CommentsWriter;
  private readonly pairs: PairsWriter;
  private readonly collections: CollectionsWriter;

  constructor(readonly plan: Plan) {
    const { seed } = plan.request;
    const ids = new SeedIds(seed, exampleIds(plan));
    const pools = new SentencePools(seed);
    const text = new MarkdownWriter(pools);
    this.people = new PeopleWriter(plan, ids, text);
    this.posts = new PostsWriter(plan, ids, this.people, text, new HeadlineWriter(pools));
    this.comments = new CommentsWriter(plan, ids, this.people, this.posts, text);
    this.pairs = new PairsWriter(plan, ids, this.people, this.posts, this.comments);
    this.collections = new CollectionsWriter(plan, ids, this.people, this.posts);
    this.counts = {
      users: plan.sizes.users,
      credentials: DEMO_ACCOUNTS.length,
      posts: plan.sizes.posts,
      post_bodies: plan.sizes.posts,
      comments: plan.sizes.comments,
      follows: plan.sizes.follows,
      tag_follows: FOLLOWED_TAGS * plan.people.deletedAt.filter((at) => at === 0).length,
      interactions: plan.sizes.interactions,
      post_event_days: plan.audienceDays,
      author_days: plan.authorDays,
      collections: plan.sizes.collections,
      collection_items: plan.collections.post.length,
      post_series: plan.collections.seriesItems,
      score_epochs: 1,
      feed_lists: LIST_SORTS.length,
      ...EXAMPLE_COUNTS,
    };
  }

  async *batches(): AsyncGenerator<Batch> {
    const { sizes, request } = this.plan;
    const scoredAt = new Date(this.plan.now * 1000);
    const userId = (user: number) => this.people.id(user);
    yield* batched('users', sizes.users, (row) => this.people.document(row));
    yield { collection: 'credentials', documents: await demoCredentials(request.seed, scoredAt, userId) };
    const lists = new FeedListCollector(scoredAt);
    yield* this.postBatches(lists);
    yield* batched('comments', sizes.comments, (row) => this.comments.document(row));
    yield* batched('interactions', sizes.interactions, (row) => this.pairs.interaction(row));
    yield* batched('follows', sizes.follows, (row) => this.pairs.follow(row));
    yield* gathered('tag_follows', sizes.users, (user) => this.pairs.tagFollows(user));
    yield* gathered('post_event_days', sizes.posts, (post) => this.posts.eventDays(post));
    yield* gathered('author_days', sizes.users, (user) => this.posts.authorDays(user));
    yield* batched('collections', sizes.collections, (row) => this.collections.collection(row));
    yield* gathered('collection_items', sizes.collections, (row) => this.collections.items(row));
    yield* gathered('post_series', sizes.collections, (row) => this.collections.series(row));
    yield* exampleBatches(this.plan);
    yield { collection: 'score_epochs', documents: [{ _id: 'posts', epoch: 1, slot: 'A', scoredAt }] };
    const documents = lists.lists().map(([sort, ids]) => ({ _id: listIdOf(sort, 'A'), ids }));
    yield { collection: 'feed_lists', documents };
  }

  /** Generates one post, the same each time. */
  writePost(post: number): WrittenPost {
    return this.posts.write(post);
  }

  private *postBatches(lists: FeedListCollector): Generator<Batch> {
    for (let from = 0; from < this.plan.sizes.posts; from += POST_BATCH_SIZE) {
      const to = Math.min(from + POST_BATCH_SIZE, this.plan.sizes.posts);
      const written = Array.from({ length: to - from }, (_, i) => this.writePost(from + i));
      for (const { card } of written) lists.add(card);
      yield { collection: 'posts', documents: written.map((post) => post.card) };
      yield { collection: 'post_bodies', documents: written.map((post) => post.body) };
    }
  }
}

/** Collects batches from any number of documents of each row. */
function* gathered<Name extends CollectionName>(
  collection: Name,
  count: number,
  documentsOf: (row: number) => Iterable<DatasetCollections[Name]>,
): Generator<Batch> {
  let documents: DatasetCollections[Name][] = [];
  for (let row = 0; row < count; row++) {
    documents.push(...documentsOf(row));
    if (documents.length < BATCH_SIZE) continue;
    yield { collection, documents } as Batch;
    documents = [];
  }
  if (documents.length > 0) yield { collection, documents } as Batch;
}

function* batched<Name extends CollectionName>(
  collection: Name,
  count: number,
  document: (row: number) => DatasetCollections[Name],
): Generator<Batch> {
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const length = Math.min(BATCH_SIZE, count - from);
    yield { collection, documents: Array.from({ length }, (_, i) => document(from + i)) } as Batch;
  }
}

/** Plans the dataset at once (a second or two for the full profile). Its documents are generated on demand. */
export function createDataset(request: SeedRequest): Dataset {
  return new Dataset(makePlan(request));
}
