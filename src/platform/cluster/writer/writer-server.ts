import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { toPortable } from '../../../common/portable-error.js';
import { within } from '../../../common/within.js';
import { encodeFrame, hostClock, type Json, readFrames, type ToWriter } from './writer-protocol.js';

/** Commits one item, which has waited for `waitedMs`, and resolves to its result. */
export type Handler = (item: Json, waitedMs: number, traceparent?: string) => Promise<Json>;

/** The writer's side of the channel: receives the items of all workers of the host and returns a result for each. */
export class WriterServer {
  private readonly handlers = new Map<string, Handler>();
  private readonly links = new Set<WorkerLink>();
  private readonly server = createServer((socket) => {
    const link = new WorkerLink(socket, this.handlers);
    this.links.add(link);
    socket.once('close', () => {
      this.links.delete(link);
      if (this.links.size === 0) this.onEmpty();
    });
  });
  private onEmpty: () => void = () => undefined;

  add(name: string, handler: Handler): void {
    this.handlers.set(name, handler);
  }

  /** Listens on the socket path, replacing the socket of the previous writer. */
  async listen(path: string): Promise<void> {
    const own = `${path}.${randomBytes(4).toString('hex')}`;
    await new Promise<void>((resolve, reject) => this.server.once('error', reject).listen(own, resolve));
    renameSync(own, path);
  }

  /** Resolves when every worker has its results and is connected to the next writer. */
  async drain(deadlineMs: number): Promise<void> {
    this.server.close();
    for (const link of this.links) link.drain();
    if (this.links.size === 0) return;
    await within(deadlineMs, new Promise<void>((resolve) => (this.onEmpty = resolve)));
  }

  /** Closes the remaining connections. */
  close(): void {
    this.server.close();
    for (const link of this.links) link.socket.destroy();
  }
}

class WorkerLink {
  private results: string[] = [];

  constructor(
    readonly socket: Socket,
    private readonly handlers: Map<string, Handler>,
  ) {
    readFrames<ToWriter>(socket, ({ sentAt, items }) => {
      const waitedMs = hostClock() - sentAt;
      for (const item of items) this.handle(waitedMs, ...item);
    });
    socket.on('error', () => undefined); // 'close' follows
  }

  drain(): void {
    this.write('{"isDraining":true}');
  }

  private handle(waitedMs: number, id: number, name: string, item: Json, traceparent?: string): void {
    const handler = this.handlers.get(name);
    if (handler === undefined) return this.respond(id, null, new Error(`no group ${name}`));
    void handler(item, waitedMs, traceparent).then(
      (result) => this.respond(id, result),
      (error: unknown) => this.respond(id, null, error),
    );
  }

  private respond(id: number, result: Json, error?: unknown): void {
    const length = this.results.push(
      JSON.stringify(error === undefined ? [id, result] : [id, null, toPortable(error)]),
    );
    if (length > 1) return;
    // Sends all responses of a batch in one frame.
    setImmediate(() => this.write(`{"results":[${this.results.splice(0).join(',')}]}`));
  }

  private write(text: string): void {
    if (!this.socket.destroyed) this.socket.write(encodeFrame(text));
  }
}
