import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type WaitsForClient = {
  request: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
  /** its response has sent `Connection: close` */
  isClosed?: boolean;
};

/**
 * Requests that wait for their client: for the rest of a body, or until it has read its response. They hold no slot. When there are too
 * many, the connection that has waited longest is cut.
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

  /** @returns whether it was in the list */
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

/** Node emits no `close` on pipelined responses when their connection ends, and a queued file would stay open. */
export function emitClose({ response, isClosed }: WaitsForClient): void {
  if (isClosed !== true) response.emit('close');
}
