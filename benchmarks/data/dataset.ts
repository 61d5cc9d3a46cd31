import type { Db, ObjectId } from 'mongodb';
import type { ProfileName } from '../../seeds/profiles.js';
import { IS_NO_FOLLOWER } from './followers.js';
import { seededRandom, shuffled } from '../harness/statistics.js';

/** A listed post and its score. */
export type RankedPost = { id: string; score: number };
export type KnownUser = { id: string; username: string };
/** Newest top-level comments of a post, as its first page must show them. */
export type CommentPage = { postId: string; commentIds: string[] };

export type Order = { posts: RankedPost[]; epoch: number };

/** Read access to one seeded dataset, in both shapes. Suites build requests and expectations from the dataset. */
export class Dataset {
  constructor(
    readonly profile: ProfileName,
    readonly seed: number,
    readonly counts: Record<string, number>,
    /** Database in the product's shape. */
    readonly product: Db,
    /** Database in the Express case's shape. */
    readonly caseA: Db,
  ) {}

  /** Returns listed posts in the order of the hot feed. Every suite reads again, because a score job may have run in between. */
  async productOrder(): Promise<Order> {
    const state = await this.product
      .collection<{ _id: string; epoch: number; slot: 'A' | 'B' }>('score_epochs')
      .findOne({ _id: 'posts' });
    const score = `hot${state?.slot ?? 'A'}`;
    const rows = await this.product
      .collection<{ _id: ObjectId; rank: Record<string, number> }>('posts')
      .find({ isListed: true }, { projection: { [`rank.${score}`]: 1 }, sort: { [`rank.${score}`]: -1, _id: -1 } })
      .toArray();
    return { posts: rows.map((row) => ({ id: String(row._id), score: row.rank[score]! })), epoch: state?.epoch ?? 0 };
  }

  async caseAOrder(): Promise<Order> {
    const rows = await this.caseA
      .collection<{ _id: ObjectId; hotScore: number }>('posts')
      .find({ isPublic: true }, { projection: { hotScore: 1 }, sort: { hotScore: -1, _id: -1 } })
      .toArray();
    return { posts: rows.map((row) => ({ id: String(row._id), score: row.hotScore })), epoch: 0 };
  }

  /** Returns the same users every time, spread over the whole dataset. */
  async users(count: number): Promise<KnownUser[]> {
    const total = await this.product.collection('users').estimatedDocumentCount();
    const step = Math.max(1, Math.floor(total / count));
    const users: KnownUser[] = [];
    let index = 0;
    const cursor = this.product
      .collection<{ _id: ObjectId; username: string }>('users')
      .find(
        { deletedAt: null, ...IS_NO_FOLLOWER },
        { projection: { username: 1 }, sort: { _id: 1 }, batchSize: 10_000 },
      );
    for await (const user of cursor) {
      if (index++ % step === 0) users.push({ id: String(user._id), username: user.username });
      if (users.length === count) break;
    }
    await cursor.close();
    return users;
  }

  /**
   * Returns first comment pages of posts with comments, the most commented first, at most `count`.
   * @param shape database of the comments, because the two databases differ after suites that write
   */
  async commentPages(count: number, limit: number, shape: Db): Promise<CommentPage[]> {
    const posts = await this.product
      .collection<{ _id: ObjectId }>('posts')
      .find(
        { isListed: true, 'stats.commentsCount': { $gt: 0 } },
        { projection: { _id: 1 }, sort: { 'stats.commentsCount': -1, _id: 1 }, limit: count },
      )
      .toArray();
    const pages: CommentPage[] = [];
    for (let start = 0; start < posts.length; start += 50) {
      pages.push(
        ...(await Promise.all(
          posts.slice(start, start + 50).map(async ({ _id: postId }) => {
            const rows = await shape
              .collection('comments')
              .find({ postId, parentId: null, isVisible: true }, { projection: { _id: 1 }, sort: { _id: -1 }, limit })
              .toArray();
            return { postId: String(postId), commentIds: rows.map((row) => String(row._id)) };
          }),
        )),
      );
    }
    return pages;
  }
}

/** Returns positions in a list of `length`, each once, in the same order for every subject and run. */
export function randomPositions(length: number, seed: number): number[] {
  return shuffled(
    Array.from({ length }, (_, index) => index),
    seededRandom(seed),
  );
}
