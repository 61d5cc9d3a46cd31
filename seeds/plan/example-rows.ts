import { ObjectId } from 'mongodb';
import { EXAMPLE } from '../../src/common/examples.js';

const seconds = (id: string): number => ObjectId.createFromHexString(id).getTimestamp().getTime() / 1000;

/** Time of the example post, unless the dataset's present moment is earlier. */
export const EXAMPLE_TIME = seconds(EXAMPLE.postId);

/** Returns the row of the example post, and gives the row its time. Rows stay in the order of their times. */
export function placeExamplePost(createdAt: Uint32Array, now: number): number {
  const next = createdAt.findIndex((time) => time >= EXAMPLE_TIME);
  const row = next === -1 ? createdAt.length - 1 : next;
  if (EXAMPLE_TIME <= now) createdAt[row] = EXAMPLE_TIME;
  return row;
}
