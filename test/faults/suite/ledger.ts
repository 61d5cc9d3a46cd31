import type { EventKind } from '../../../src/views/event-keys.js';

/** A relation between an account and a target: a vote on a post or a comment, a save, a follow, a post in the account's list. */
export type Pair = { kind: 'vote' | 'save' | 'follow' | 'item'; userId: string; targetId: string };
export type PairState = 'like' | 'dislike' | 'yes' | null;

/** A post or comment created with an Idempotency-Key, which the mark in its text identifies. */
export type Made = {
  kind: 'post' | 'comment';
  mark: string;
  /** Id from the acknowledgement; undefined until a response confirms the creation. */
  id: string | undefined;
  deleted: 'no' | 'yes' | 'unknown';
};

/** A view, read or share by one viewer in one window, counted once for any number of requests. */
export type SeenEvent = {
  userId: string;
  postId: string;
  kind: EventKind;
  /** End of the window in which the event was sent. */
  window: Date;
  isAcknowledged: boolean;
};

/**
 * Writes that clients sent and their responses. One client at a time drives a pair, in order, so the state after the last
 * acknowledgement is known. A write without a response has two possible states, and its pair gets no further writes.
 */
export class Ledger {
  readonly counts = { acknowledged: 0, unknown: 0, retried: 0, replayed: 0, refused: 0, broken: 0 };
  /** Responses that no client should get, as lines. */
  readonly violations: string[] = [];
  readonly slowest = { ms: 0, what: '' };
  private readonly pairs = new Map<string, { pair: Pair; states: PairState[] }>();
  private readonly seen = new Map<string, SeenEvent>();
  readonly made: Made[] = [];

  state(pair: Pair): PairState {
    return this.pairs.get(nameOf(pair))?.states[0] ?? null;
  }

  /** A client may drive a pair only while its state is known. */
  isKnown(pair: Pair): boolean {
    return (this.pairs.get(nameOf(pair))?.states.length ?? 1) === 1;
  }

  acknowledge(pair: Pair, state: PairState): void {
    this.counts.acknowledged++;
    this.pairs.set(nameOf(pair), { pair, states: [state] });
  }

  giveUp(pair: Pair, state: PairState): void {
    this.counts.unknown++;
    this.pairs.set(nameOf(pair), { pair, states: [this.state(pair), state] });
  }

  entries(): Iterable<{ pair: Pair; states: PairState[] }> {
    return this.pairs.values();
  }

  /** Returns the event of this viewer in this window, always the same object. */
  event(userId: string, postId: string, kind: EventKind, window: Date): SeenEvent {
    const name = `${userId} ${postId} ${kind} ${window.getTime()}`;
    const held = this.seen.get(name) ?? { userId, postId, kind, window, isAcknowledged: false };
    this.seen.set(name, held);
    return held;
  }

  events(): Iterable<SeenEvent> {
    return this.seen.values();
  }

  violated(line: string): void {
    // The first violations are enough to find the cause.
    if (this.violations.length < 200) this.violations.push(line);
  }

  took(ms: number, what: string): void {
    if (ms <= this.slowest.ms) return;
    this.slowest.ms = ms;
    this.slowest.what = what;
  }
}

function nameOf({ kind, userId, targetId }: Pair): string {
  return `${kind} ${userId} ${targetId}`;
}
