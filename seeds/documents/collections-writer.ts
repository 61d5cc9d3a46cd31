import type { ObjectId } from 'mongodb';
import { topScore } from '../../src/collections/collection-rules.js';
import { evenPositions } from '../../src/collections/positions.js';
import { pairId } from '../../src/common/pair-id.js';
import { slugify } from '../../src/rendering/post-text.js';
import { EXAMPLE } from '../../src/common/examples.js';
import { findExampleCollection } from '../plan/collections-plan.js';
import type { Plan } from '../plan/plan.js';
import { POST_STATES } from '../plan/posts-plan.js';
import { STREAMS } from '../plan/streams.js';
import { Random } from '../sampling/random.js';
import { DEMO_COLLECTIONS, DESCRIPTIONS, LIST_TITLES, NOTES, SERIES_TITLES } from '../words/collection-titles.js';
import { TOPICS } from '../words/topics/topics.js';
import type { CollectionDocument, CollectionItemDocument, PostSeriesDocument } from './document-types.js';
import type { PeopleWriter } from './people-writer.js';
import type { PostsWriter } from './posts-writer.js';
import type { SeedIds } from './seed-ids.js';
import { coverOf, pathOf } from './seed-pictures.js';

const NOTE_SHARE = 0.15;

/** Writes collections, their items, and the series of each post. */
export class CollectionsWriter {
  private readonly random: Random;
  private readonly example: number;

  constructor(
    private readonly plan: Plan,
    private readonly ids: SeedIds,
    private readonly people: PeopleWriter,
    private readonly posts: PostsWriter,
  ) {
    this.random = new Random(plan.request.seed);
    this.example = findExampleCollection(plan.collections);
  }

  collection(row: number): CollectionDocument {
    const { collections } = this.plan;
    const owner = collections.owner[row]!;
    const kind = collections.isSeries[row] === 1 ? 'series' : 'list';
    const ownerSnapshot = this.people.snapshot(owner);
    const random = this.random.reseed(this.plan.request.seed, STREAMS.collectionText, row);
    const [subject, other] = [random.pick(TOPICS), random.pick(TOPICS)];
    const pattern = random.pick(kind === 'series' ? SERIES_TITLES : LIST_TITLES);
    const drawn = pattern.replace('{}', subject.name).replace('{other}', other.name);
    const [demoTitle, ...demoTags] = DEMO_COLLECTIONS[collections.demo[row]! - 1] ?? [];
    const title = row === this.example ? EXAMPLE.collectionTitle : (demoTitle ?? drawn);
    const tags = [...new Set([subject.tag, other.tag, random.pick(TOPICS).tag])].slice(0, random.between(1, 3));
    const isPublic = collections.isPublic[row] === 1;
    const createdAt = new Date(collections.createdAt[row]! * 1000);
    const stats = { postsCount: this.listedIn(row), likesCount: 0, dislikesCount: 0, followersCount: 0 };
    return {
      _id: this.id(row),
      ownerId: this.people.id(owner),
      ownerSnapshot,
      title: title.charAt(0).toUpperCase() + title.slice(1),
      slug: slugify(title, kind),
      description: random.pick(DESCRIPTIONS),
      kind,
      isPublic,
      isListed: isPublic,
      tags: demoTitle === undefined ? tags : demoTags,
      thumbnailUrl: random.chance(0.3) ? pathOf(coverOf(row)) : null,
      stats,
      topScore: topScore(stats),
      orderEpoch: 0,
      version: 1,
      createdAt,
      updatedAt: createdAt,
      deletedAt: null,
    };
  }

  items(row: number): CollectionItemDocument[] {
    const { firstItem, post, addedAt } = this.plan.collections;
    const collectionId = this.id(row);
    const random = this.random.reseed(this.plan.request.seed, STREAMS.collectionText, -1 - row);
    return evenPositions(this.sizeOf(row)).map((position, at) => {
      const item = firstItem[row]! + at;
      const postId = this.posts.id(post[item]!);
      const note = random.chance(NOTE_SHARE) ? random.pick(NOTES) : null;
      const _id = pairId(collectionId, postId);
      const isListed = this.isListed(item);
      return { _id, collectionId, postId, position, isListed, note, addedAt: new Date(addedAt[item]! * 1000) };
    });
  }

  series(row: number): PostSeriesDocument[] {
    if (this.plan.collections.isSeries[row] === 0) return [];
    return this.items(row).map(({ postId, collectionId }) => ({ _id: postId, collectionId }));
  }

  private id(row: number): ObjectId {
    return this.ids.id('collection', row, this.plan.collections.createdAt[row]!);
  }

  private isListed(item: number): boolean {
    return this.plan.posts.state[this.plan.collections.post[item]!] === POST_STATES.listed;
  }

  private listedIn(row: number): number {
    const first = this.plan.collections.firstItem[row]!;
    return Array.from({ length: this.sizeOf(row) }, (_, at) => this.isListed(first + at)).filter(Boolean).length;
  }

  private sizeOf(row: number): number {
    const { firstItem } = this.plan.collections;
    return firstItem[row + 1]! - firstItem[row]!;
  }
}
