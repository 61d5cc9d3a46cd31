import { ObjectId } from 'mongodb';
import { EXAMPLE } from '../../src/common/examples.js';
import type { CollectionsPlan } from './collections-plan.js';
import { type CommentsPlan, NO_PARENT } from './comments-plan.js';

const seconds = (id: string): number => ObjectId.createFromHexString(id).getTimestamp().getTime() / 1000;

/** When the example post was written, if the dataset is not seen from a time before that. */
export const EXAMPLE_TIME = seconds(EXAMPLE.postId);

/** The row of the example post, which gets its time; rows stay in the order of their times. */
export function placeExamplePost(createdAt: Uint32Array, now: number): number {
  const next = createdAt.findIndex((time) => time >= EXAMPLE_TIME);
  const row = next === -1 ? createdAt.length - 1 : next;
  if (EXAMPLE_TIME <= now) createdAt[row] = EXAMPLE_TIME;
  return row;
}

/** The first comment on the post that has no parent, or else on any post. */
export function findExampleComment({ post, parent, deletedAt }: CommentsPlan, examplePost: number): number {
  const isRoot = (_: number, row: number): boolean => parent[row] === NO_PARENT && deletedAt[row] === 0;
  const own = post.findIndex((of, row) => of === examplePost && isRoot(of, row));
  return own === -1 ? post.findIndex(isRoot) : own;
}

/** The first public list of the demo writer. */
export function findExampleCollection({ owner, isPublic, isSeries }: CollectionsPlan): number {
  return owner.findIndex((user, row) => user === 0 && isPublic[row] === 1 && isSeries[row] === 0);
}
