import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { ClientDisconnected } from '../../../common/client-disconnected.js';
import type { SubmitOptions } from '../../../common/group-commit.js';
import { toPortable } from '../../../common/portable-error.js';
import { within } from '../../../common/within.js';
import { encodeFrame, type Json, readFrames, type ToWriter } from './writer-protocol.js';

/** Commits one item and resolves to its result. */
export type Handler = (item: Json, options: SubmitOptions) => Promise<Json>;

/** The timeout of a check, adapted to the worker's response times. A batch then continues without the worker's items. */
const MIN_CONFIRM_TIMEOUT_MS = 100;
const MAX_CONFIRM_TIMEOUT_MS = 2_000;

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

/** One connection of one worker. */
class WorkerLink {
  /** pending items, and whether their client has disconnected */
  private readonly items = new Map<number, { isDisconnected: boolean }>();
  private results: string[] = [];
  private lastCheck = 0;
  private lastConfirmed = 0;
  private isUnresponsive = false;
  private confirmTimeoutMs = MIN_CONFIRM_TIMEOUT_MS;
  private waiting: (() => void)[] = [];

  constructor(
    readonly socket: Socket,
    private readonly handlers: Map<string, Handler>,
  ) {
    readFrames<ToWriter>(socket, ({ items, confirmed, disconnectedIds }) => {
      for (const item of items ?? []) this.handle(...item);
      if (confirmed !== undefined) this.onConfirmed(confirmed, disconnectedIds ?? []);
    });
    socket.on('error', () => undefined); // 'close' follows
    socket.once('close', () => this.wake());
  }

  drain(): void {
    this.write('{"isDraining":true}');
  }

  private handle(id: number, name: string, item: Json): void {
    const handler = this.handlers.get(name);
    if (handler === undefined) return this.respond(id, null, new Error(`no group ${name}`));
    const state = { isDisconnected: false };
    this.items.set(id, state);
    const isDisconnected = (): boolean => state.isDisconnected || this.isUnresponsive || this.socket.destroyed;
    const submit = (): void =>
      void handler(item, { isDisconnected, confirmPending: this.confirmPending }).then(
        (result) => this.respond(id, result),
        (error: unknown) => {
          if (!(error instanceof ClientDisconnected)) this.respond(id, null, error);
          else if (state.isDisconnected || this.socket.destroyed) this.items.delete(id);
          // The worker did not respond when its item was due. Submit again once the worker responds.
          else void this.until(() => !this.isUnresponsive).then(submit);
        },
      );
    submit();
  }

  /** Requests the ids of disconnected clients from the worker. Only items confirmed after the batch has read may be written. */
  private readonly confirmPending = async (): Promise<void> => {
    const check = ++this.lastCheck;
    this.write(`{"check":${check}}`);
    if (this.isUnresponsive) return;
    const sentAt = performance.now();
    const { confirmTimeoutMs } = this;
    const isConfirmed = (): boolean => this.lastConfirmed >= check;
    await within(confirmTimeoutMs, this.until(isConfirmed));
    this.isUnresponsive ||= !isConfirmed();
    const nextMs = 2 * (isConfirmed() ? performance.now() - sentAt : confirmTimeoutMs);
    this.confirmTimeoutMs = Math.min(Math.max(nextMs, MIN_CONFIRM_TIMEOUT_MS), MAX_CONFIRM_TIMEOUT_MS);
  };

  private onConfirmed(confirmed: number, disconnectedIds: number[]): void {
    this.lastConfirmed = confirmed;
    for (const id of disconnectedIds) {
      const state = this.items.get(id);
      if (state !== undefined) state.isDisconnected = true;
    }
    if (confirmed === this.lastCheck) this.isUnresponsive = false;
    this.wake();
  }

  private wake(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }

  /** Resolves when `condition` returns true or the worker disconnects. */
  private async until(condition: () => boolean): Promise<void> {
    while (!condition() && !this.socket.destroyed) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private respond(id: number, result: Json, error?: unknown): void {
    this.items.delete(id);
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
