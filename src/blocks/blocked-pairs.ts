import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';

/** The pairs of accounts of a batch in which one blocks the other, in either order. */
export class BlockedPairs {
  private readonly keys: ReadonlySet<string>;

  constructor(rows: Iterable<readonly [ownerId: ObjectId, otherId: ObjectId]>) {
    this.keys = new Set([...rows].flatMap(([owner, other]) => [keyOf(owner, other), keyOf(other, owner)]));
  }

  has(one: ObjectId, other: ObjectId): boolean {
    return this.keys.size > 0 && this.keys.has(keyOf(one, other));
  }
}

export const NO_BLOCKED_PAIRS = new BlockedPairs([]);

/** Returns the same error for both sides. */
export function blocked(): CodedError {
  return new CodedError('blocked', 'You and this account cannot interact: one of you blocks the other.');
}

function keyOf(one: ObjectId, other: ObjectId): string {
  return one.toHexString() + other.toHexString();
}
