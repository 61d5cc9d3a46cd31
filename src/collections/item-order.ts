import { CodedError } from '../common/errors.js';
import { evenPositions, positionBetween } from './positions.js';

/** The stored fields of an item. */
export type DraftEntry = {
  position: string;
  /** undefined: unchanged */
  note?: string | null;
  /** set for an added item */
  addedAt?: Date;
};

export type ItemPosition = {
  note?: string | null | undefined;
  before?: string | undefined;
  after?: string | undefined;
};

/** The order of one collection during a batch. Posts are hex ids. */
export class ItemOrder {
  /** post -> stored position */
  readonly stored: ReadonlyMap<string, string>;
  /** true if all positions were reassigned */
  isRebalanced = false;
  private readonly order: string[];
  private readonly byPost: Map<string, DraftEntry>;

  constructor(items: readonly { postId: string; position: string }[]) {
    this.stored = new Map(items.map(({ postId, position }) => [postId, position]));
    this.order = items.map(({ postId }) => postId);
    this.byPost = new Map(items.map(({ postId, position }) => [postId, { position }]));
  }

  get size(): number {
    return this.order.length;
  }

  has(post: string): boolean {
    return this.byPost.has(post);
  }

  entries(): Iterable<[string, DraftEntry]> {
    return this.byPost;
  }

  remove(post: string): void {
    if (this.byPost.delete(post)) this.order.splice(this.order.indexOf(post), 1);
  }

  /**
   * Adds a post at `target` or at the end. An existing post moves to `target` or stays.
   * @returns the 1-based position of the post
   * @throws CodedError `invalid_place`
   */
  put(post: string, target: ItemPosition, now: Date): number {
    const existing = this.byPost.get(post);
    const at = this.order.indexOf(post);
    const others = existing === undefined ? this.order : this.order.filter((other) => other !== post);
    const index = indexOf(others, post, target) ?? (existing === undefined ? others.length : at);
    const entry: DraftEntry = existing ?? { position: '', note: null, addedAt: now };
    if (target.note !== undefined) entry.note = target.note;
    if (index === at) return at + 1;
    if (existing !== undefined) this.order.splice(at, 1);
    this.order.splice(index, 0, post);
    this.byPost.set(post, entry);
    const position = positionBetween(this.positionAt(index - 1), this.positionAt(index + 1));
    if (position === null) this.rebalance();
    else entry.position = position;
    return index + 1;
  }

  private positionAt(index: number): string | null {
    const post = this.order[index];
    return post === undefined ? null : this.byPost.get(post)!.position;
  }

  private rebalance(): void {
    this.isRebalanced = true;
    const positions = evenPositions(this.order.length);
    this.order.forEach((post, index) => (this.byPost.get(post)!.position = positions[index]!));
  }
}

/** Returns the index among the others; null if no neighbor is given. Two given neighbors must be adjacent. */
function indexOf(others: readonly string[], post: string, { before, after }: ItemPosition): number | null {
  const indexes = [
    ...(before === undefined ? [] : [others.indexOf(before)]),
    ...(after === undefined ? [] : [others.indexOf(after) + 1 || -1]),
  ];
  const [index = null, other = index] = indexes;
  if (index === null) return null;
  if (index === -1 || index !== other) throw invalidPosition(post, before, after);
  return index;
}

function invalidPosition(post: string, before: string | undefined, after: string | undefined): CodedError {
  const isBoth = before !== undefined && after !== undefined;
  const reason = isBoth ? 'are not adjacent in this collection' : 'is not another post of this collection';
  return new CodedError('invalid_place', `The position for ${post} does not exist.`, {
    fields: Object.entries({ before, after }).flatMap(([field, value]) =>
      value === undefined ? [] : [{ field, message: reason }],
    ),
  });
}
