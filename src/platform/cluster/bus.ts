import type { BusLink, HubMember } from './ipc.js';
import { logError } from './process-log.js';

export type BusHandler<T> = (message: T) => void;

/**
 * Publishes to the other processes of this host; a process that runs alone has no receivers. Each receiver gets a message at most once, in
 * the order of its sender.
 */
export class ClusterBus {
  private readonly handlers = new Map<string, Set<BusHandler<unknown>>>();

  constructor(
    private readonly link?: BusLink,
    private readonly reportFailure: (text: string) => void = logError,
  ) {
    link?.receive((message) => {
      if (message.type === 'deliver') this.deliver(message.channel, message.message);
    });
  }

  /** Whether this process runs alone. */
  get isAlone(): boolean {
    return this.link === undefined;
  }

  /** Fire and forget. `message` must be plain data, because it is sent as JSON. */
  publish(channel: string, message: unknown): void {
    this.link?.send({ type: 'publish', channel, message });
  }

  /** @returns a function that cancels the subscription */
  subscribe<T>(channel: string, handler: BusHandler<T>): () => void {
    const handlers = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, handlers.add(handler as BusHandler<unknown>));
    return () => handlers.delete(handler as BusHandler<unknown>);
  }

  private deliver(channel: string, message: unknown): void {
    for (const handler of this.handlers.get(channel) ?? []) {
      try {
        handler(message);
      } catch (error) {
        this.reportFailure(`A subscriber of the bus channel ${channel} failed: ${String(error)}`);
      }
    }
  }
}

/** The bus in the primary: forwards messages. */
export class IpcRouter {
  private readonly members = new Set<HubMember>();

  join(member: HubMember): void {
    this.members.add(member);
  }

  leave(member: HubMember): void {
    this.members.delete(member);
  }

  publish(sender: HubMember, channel: string, message: unknown): void {
    for (const member of this.members) {
      if (member !== sender) member.send({ type: 'deliver', channel, message });
    }
  }
}
