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
 * Requests that wait for their client to send the rest of a body or to read the response. They occupy no slot of the limiter. Above the
 * limit, the connection that has waited longest is closed.
 */
export class ClientBoundRequests<T extends WaitsForClient> {
  private readonly waiting = new Set<T>();

  constructor(private readonly limit: number) {}

  add(work: T): void {
    this.waiting.add(work);
    if (this.waiting.size <= this.limit) return;
    const [longest] = this.waiting;
    longest!.socket.destroy();
    this.forgetBroken();
  }

  /** @returns whether the list contained the request */
  delete(work: T): boolean {
    return this.waiting.delete(work);
  }

  /** Removes and returns the requests with a complete body. */
  takeComplete(): T[] {
    return this.take(({ request }) => request.complete);
  }

  forgetBroken(): void {
    this.take(({ socket }) => socket.destroyed).forEach(emitClose);
  }

  private take(isTaken: (work: T) => boolean): T[] {
    const taken = [...this.waiting].filter(isTaken);
    for (const work of taken) this.waiting.delete(work);
    return taken;
  }
}

/** Emits the `close` event that Node omits for pipelined responses of a closed connection. Otherwise a queued file would stay open. */
export function emitClose({ response, isClosed }: WaitsForClient): void {
  if (isClosed !== true) response.emit('close');
}
