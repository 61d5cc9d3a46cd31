import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type WaitsForClient = {
  request: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
  /** its response has said `close` */
  isClosed?: boolean;
};

/**
 * Requests that wait for their client: for the rest of a body, or until it has read its answer. They hold no place of others; when
 * there are too many, the connection of the one that waits longest is cut.
 */
export class SlowClients<T extends WaitsForClient> {
  private readonly waiting = new Set<T>();

  constructor(private readonly limit: number) {}

  add(work: T): void {
    this.waiting.add(work);
    if (this.waiting.size <= this.limit) return;
    for (const { socket } of this.waiting) if (!socket.destroyed) return void socket.destroy();
  }

  delete(work: T): void {
    this.waiting.delete(work);
  }

  /** Those whose body is there. */
  takeComplete(): T[] {
    return this.take(({ request, socket }) => request.complete && !socket.destroyed);
  }

  forgetBroken(): void {
    this.take(({ socket }) => socket.destroyed).forEach(tellClosed);
  }

  private take(isTaken: (work: T) => boolean): T[] {
    const taken = [...this.waiting].filter(isTaken);
    for (const work of taken) this.waiting.delete(work);
    return taken;
  }
}

/** Node says nothing to pipelined answers when their connection ends, and a file that waits for its turn would stay open. */
export function tellClosed({ response, isClosed }: WaitsForClient): void {
  if (isClosed !== true) response.emit('close');
}
