import { ObjectId } from 'mongodb';
import { EXAMPLE } from '../../src/common/examples.js';

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
