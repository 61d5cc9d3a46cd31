import { randomBytes } from 'node:crypto';
import { within } from '../../common/within.js';
import type { FromPrimary, ToPrimary } from './ipc.js';
import { logError } from './process-log.js';

export type BusHandler<T> = (message: T) => void;
export type Gathered<T> = {
  answers: T[];
  /** processes that did not respond in time */
  missing: number;
};

/** The link to the primary; a single process has none. */
export type BusLink = {
  send(message: ToPrimary): void;
  receive(handler: (message: FromPrimary) => void): void;
};

/** Added to the timeout, which the primary itself keeps, in case the primary hangs. */
const PRIMARY_SLACK_MS = 100;

/**
 * Publishes to the other processes of this host. A message reaches every *other* process at most once, in the order in which its
 * sender published. Without a link (one process) it has no receivers.
 */
export class ClusterBus {
  /** identifies this process among all that ever sent, because pids are reused */
  private readonly self = `${process.pid}-${randomBytes(6).toString('hex')}`;
  private readonly handlers = new Map<string, Set<BusHandler<unknown>>>();
  private readonly responders = new Map<string, (payload: unknown) => unknown>();
  private readonly waiting = new Map<number, (gathered: Gathered<unknown>) => void>();
  private readonly lastSequence = new Map<string, number>();
  private sequence = 0;
  private nextGather = 0;

  constructor(
    private readonly link?: BusLink,
    private readonly reportFailure: (text: string) => void = logError,
  ) {
    link?.receive((message) => this.hear(message));
  }

  /** Whether there are no other processes. */
  get isAlone(): boolean {
    return this.link === undefined;
  }

  /** Fire and forget; `message` is plain data (it travels as JSON). */
  publish(channel: string, message: unknown): void {
    this.link?.send({ type: 'publish', from: this.self, sequence: ++this.sequence, channel, message });
  }

  /** @returns a function that ends the subscription */
  subscribe<T>(channel: string, handler: BusHandler<T>): () => void {
    const handlers = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, handlers.add(handler as BusHandler<unknown>));
    return () => handlers.delete(handler as BusHandler<unknown>);
  }

  /** Registers the response of this process to `gather`. */
  answer(topic: string, respond: (payload: never) => unknown): void {
    this.responders.set(topic, respond as (payload: unknown) => unknown);
  }

  /**
   * Collects a response from every process, this one included, that has a responder for the topic. Topics of the primary get its response
   * alone. If the primary does not respond in time, one response is missing and there are no others.
   */
  async gather<T>(topic: string, payload: unknown = null, timeoutMs = 2_000): Promise<Gathered<T>> {
    if (this.link === undefined) {
      const respond = this.responders.get(topic);
      return { answers: respond === undefined ? [] : [(await respond(payload)) as T], missing: 0 };
    }
    const id = ++this.nextGather;
    const gathered = new Promise<Gathered<unknown>>((resolve) => this.waiting.set(id, resolve));
    this.link.send({ type: 'gather', id, topic, payload, timeoutMs });
    const inTime = await within(timeoutMs + PRIMARY_SLACK_MS, gathered);
    this.waiting.delete(id);
    return (inTime as Gathered<T> | undefined) ?? { answers: [], missing: 1 };
  }

  private hear(message: FromPrimary): void {
    switch (message.type) {
      case 'deliver':
        return this.deliver(message);
      case 'ask':
        return void this.respond(message.id, message.topic, message.payload);
      case 'gathered':
        return this.waiting.get(message.id)?.({ answers: message.answers, missing: message.missing });
      case 'beat':
      case 'drain':
        return;
    }
  }

  private deliver({ from, sequence, channel, message }: FromPrimary & { type: 'deliver' }): void {
    // a second transport (or a repetition) may deliver the same message again
    if (sequence <= (this.lastSequence.get(from) ?? 0)) return;
    this.lastSequence.delete(from);
    this.lastSequence.set(from, sequence);
    if (this.lastSequence.size > 1_000) this.lastSequence.delete(this.lastSequence.keys().next().value!);
    for (const handler of this.handlers.get(channel) ?? []) {
      try {
        handler(message);
      } catch (error) {
        this.reportFailure(`A subscriber of the bus channel ${channel} failed: ${String(error)}`);
      }
    }
  }

  private async respond(id: number, topic: string, payload: unknown): Promise<void> {
    const respond = this.responders.get(topic);
    try {
      this.link?.send({ type: 'answer', id, value: respond === undefined ? undefined : await respond(payload) });
    } catch (error) {
      this.link?.send({ type: 'answer', id, value: undefined, error: String(error) });
    }
  }
}
