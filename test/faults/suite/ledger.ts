import type { EventKind } from '../../../src/views/event-keys.js';
import type { Account } from './cast.js';
import { RELATIONS, type RelationKind, type RelationState } from './relations.js';
import type { ThingKind } from './things.js';

/** A relation of an account (for an item: of its list) to a target. */
export type Pair = { kind: RelationKind; userId: string; targetId: string; account: Account };

/** A row created with a mark in its text. */
export type Made = {
  kind: ThingKind;
  account: Account;
  mark: string;
  /** Id from the acknowledgement; undefined until a response confirms the creation. */
  id: string | undefined;
  /** The texts that the row may have, all with the mark: two after an edit without a response. */
  texts: string[];
  edits: number;
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
  /** acknowledged writes by the id of their operation */
  readonly operations = new Map<string, number>();
  readonly slowest = { ms: 0, what: '' };
  private readonly pairs = new Map<string, { pair: Pair; states: RelationState[] }>();
  private readonly seen = new Map<string, SeenEvent>();
  readonly made: Made[] = [];

  state(pair: Pair): RelationState {
    return this.pairs.get(nameOf(pair))?.states[0] ?? null;
  }

  /** A client may drive a pair only while its state is known. */
  isKnown(pair: Pair): boolean {
    return (this.pairs.get(nameOf(pair))?.states.length ?? 1) === 1;
  }

  acknowledged(operation: string): void {
    this.counts.acknowledged++;
    this.operations.set(operation, (this.operations.get(operation) ?? 0) + 1);
  }

  acknowledge(pair: Pair, state: RelationState): void {
    const [set, clear]: readonly string[] = RELATIONS[pair.kind].operations;
    this.acknowledged(state === null ? clear! : set!);
    this.pairs.set(nameOf(pair), { pair, states: [state] });
  }

  giveUp(pair: Pair, state: RelationState): void {
    this.counts.unknown++;
    this.pairs.set(nameOf(pair), { pair, states: [this.state(pair), state] });
  }

  entries(): Iterable<{ pair: Pair; states: RelationState[] }> {
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

function nameOf({ kind, userId, targetId }: Omit<Pair, 'account'>): string {
  return `${kind} ${userId} ${targetId}`;
}
