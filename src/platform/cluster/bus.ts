import { randomBytes } from 'node:crypto';
import { within } from '../../common/within.js';
import type { BusLink, FromPrimary, HubMember, ToPrimary } from './ipc.js';
import { logError } from './process-log.js';

export type BusHandler<T> = (message: T) => void;
export type Gathered<T> = {
  responses: T[];
  /** number of processes without a response in time */
  missing: number;
};

/** Added to the timeout that the primary applies itself, in case the primary hangs. */
const PRIMARY_SLACK_MS = 100;

/**
 * Publishes to the other processes of this host; a process that runs alone has no receivers. Each receiver gets a message at most once, in
 * the order of its sender.
 */
export class ClusterBus {
  /** Identifies this process. A pid alone may be reused. */
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
    link?.receive((message) => this.onMessage(message));
  }

  /** Whether this process runs alone. */
  get isAlone(): boolean {
    return this.link === undefined;
  }

  /** Fire and forget. `message` must be plain data, because it is sent as JSON. */
  publish(channel: string, message: unknown): void {
    this.link?.send({ type: 'publish', from: this.self, sequence: ++this.sequence, channel, message });
  }

  /** @returns a function that cancels the subscription */
  subscribe<T>(channel: string, handler: BusHandler<T>): () => void {
    const handlers = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, handlers.add(handler as BusHandler<unknown>));
    return () => handlers.delete(handler as BusHandler<unknown>);
  }

  /** Registers the handler with which this process responds to `gather`. */
  respondTo(topic: string, respond: (payload: never) => unknown): void {
    this.responders.set(topic, respond as (payload: unknown) => unknown);
  }

  /**
   * Collects the responses of all processes (this one included) that handle the topic; a topic of the primary has one response. If the
   * primary times out, the result has no responses and `missing` is 1.
   */
  async gather<T>(topic: string, payload: unknown = null, timeoutMs = 2_000): Promise<Gathered<T>> {
    if (this.link === undefined) {
      const respond = this.responders.get(topic);
      return { responses: respond === undefined ? [] : [(await respond(payload)) as T], missing: 0 };
    }
    const id = ++this.nextGather;
    const gathered = new Promise<Gathered<unknown>>((resolve) => this.waiting.set(id, resolve));
    this.link.send({ type: 'gather', id, topic, payload, timeoutMs });
    const inTime = await within(timeoutMs + PRIMARY_SLACK_MS, gathered);
    this.waiting.delete(id);
    return (inTime as Gathered<T> | undefined) ?? { responses: [], missing: 1 };
  }

  private onMessage(message: FromPrimary): void {
    switch (message.type) {
      case 'deliver':
        return this.deliver(message);
      case 'request':
        return void this.respond(message.id, message.topic, message.payload);
      case 'gathered':
        return this.waiting.get(message.id)?.({ responses: message.responses, missing: message.missing });
      case 'beat':
      case 'drain':
        return;
    }
  }

  private deliver({ from, sequence, channel, message }: FromPrimary & { type: 'deliver' }): void {
    // Ignores duplicates: a second transport or a retry may deliver a message again.
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
      this.link?.send({ type: 'response', id, value: respond === undefined ? undefined : await respond(payload) });
    } catch (error) {
      this.link?.send({ type: 'response', id, value: undefined, error: String(error) });
    }
  }
}

type Round = { remaining: Set<HubMember>; responses: unknown[]; failed: number; finish: () => void };

/** The bus in the primary: forwards messages and collects responses. */
export class IpcRouter {
  private readonly members = new Set<HubMember>();
  private readonly primaryHandlers = new Map<string, () => Promise<unknown>>();
  private readonly rounds = new Map<number, Round>();
  private nextRound = 0;

  join(member: HubMember): void {
    this.members.add(member);
  }

  leave(member: HubMember): void {
    this.members.delete(member);
    for (const round of this.rounds.values()) {
      // The process has exited with its state, so its response does not count as missing.
      if (round.remaining.delete(member) && round.remaining.size === 0) round.finish();
    }
  }

  /** Registers the handler of a topic that the primary serves for all processes. */
  serve(topic: string, handler: () => Promise<unknown>): void {
    this.primaryHandlers.set(topic, handler);
  }

  receive(sender: HubMember, message: ToPrimary): void {
    switch (message.type) {
      case 'publish': {
        const { from, sequence, channel, message: content } = message;
        for (const member of this.members) {
          if (member !== sender) member.send({ type: 'deliver', from, sequence, channel, message: content });
        }
        return;
      }
      case 'gather':
        return void this.collectReplies(sender, message);
      case 'response': {
        const round = this.rounds.get(message.id);
        if (round === undefined || !round.remaining.delete(sender)) return;
        if (message.error !== undefined) round.failed++;
        else if (message.value !== undefined && message.value !== null) round.responses.push(message.value);
        if (round.remaining.size === 0) round.finish();
        return;
      }
      case 'ready':
      case 'alive':
      case 'refused':
      case 'metrics':
        return;
    }
  }

  /** Requests a response from every process. */
  async gather(topic: string, payload: unknown, timeoutMs: number): Promise<{ responses: unknown[]; missing: number }> {
    const id = ++this.nextRound;
    const round: Round = { remaining: new Set(this.members), responses: [], failed: 0, finish: () => {} };
    const finished = new Promise<void>((resolve) => (round.finish = resolve));
    this.rounds.set(id, round);
    for (const member of this.members) member.send({ type: 'request', id, topic, payload });
    if (round.remaining.size === 0) round.finish();
    await within(timeoutMs, finished);
    this.rounds.delete(id);
    return { responses: round.responses, missing: round.remaining.size + round.failed };
  }

  private async collectReplies(requester: HubMember, request: ToPrimary & { type: 'gather' }): Promise<void> {
    const { id, topic, payload, timeoutMs } = request;
    const respond = this.primaryHandlers.get(topic);
    const gathered =
      respond === undefined
        ? await this.gather(topic, payload, timeoutMs)
        : { responses: [await respond()], missing: 0 };
    if (this.members.has(requester)) requester.send({ type: 'gathered', id, ...gathered });
  }
}
