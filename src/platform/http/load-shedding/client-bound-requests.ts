import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type WaitsForClient = {
  request: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
  /** whether the response has emitted `close` */
  isClosed?: boolean;
};

/**
 * Holds requests, outside the limiter's slots, that wait for the client to send a body or to read a response.
 * Above `limit`, the list closes the connection that has waited longest.
 */
export class ClientBoundRequests<T extends WaitsForClient> {
  private readonly waiting = new Set<T>();

  constructor(private readonly limit: number) {}

  get size(): number {
    return this.waiting.size;
  }

  add(work: T): void {
    this.waiting.add(work);
    if (this.waiting.size <= this.limit) return;
    const [longest] = this.waiting;
    longest!.socket.destroy();
    this.removeBroken();
  }

  /** @returns whether the list contained the request */
  delete(work: T): boolean {
    return this.waiting.delete(work);
  }

  /** Removes and returns the requests with a complete body. */
  removeComplete(): T[] {
    return this.removeWhere(({ request }) => request.complete);
  }

  removeBroken(): void {
    this.removeWhere(({ socket }) => socket.destroyed).forEach(emitClose);
  }

  private removeWhere(matches: (work: T) => boolean): T[] {
    const removed = [...this.waiting].filter(matches);
    for (const work of removed) this.waiting.delete(work);
    return removed;
  }
}

/** Emits the `close` event that Node omits for pipelined responses of a closed connection. Otherwise a queued file would stay open. */
export function emitClose({ response, isClosed }: WaitsForClient): void {
  if (isClosed !== true) response.emit('close');
}
