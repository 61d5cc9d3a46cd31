import { connect, type Socket } from 'node:net';
import { afterNextPoll, ClientDisconnected, type IsDisconnected } from '../../../common/client-disconnected.js';
import { CodedError } from '../../../common/errors.js';
import { countGone, MAX_WAIT_MS, queueFull } from '../../../common/group-commit.js';
import { fromPortable } from '../../../common/portable-error.js';
import { encodeFrame, type FromWriter, hostClock, type Json, readFrames } from './writer-protocol.js';

/** The maximum number of items without a result. Further items are rejected. */
const MAX_PENDING = 20_000;
/** The maximum length of a frame in characters. */
const FRAME_LENGTH = 1_000_000;
/** The maximum wait of an unsent item, for example while the writer is replaced. */
const MAX_UNSENT_MS = 5_000;
/** The longest time until a running writer responds: an item is queued for at most MAX_WAIT_MS, and a transaction takes at most 10 s. */
const RESPONSE_TIMEOUT_MS = MAX_WAIT_MS + 10_000;
const RECONNECT_MS = 25;
const EXPIRE_EVERY_MS = 250;

type Pending = {
  id: number;
  group: string;
  /** as JSON, with the `traceparent` of a sampled request */
  item: string;
  isDisconnected: IsDisconnected;
  submittedAt: number;
  resolve: (result: Json) => void;
  reject: (reason: Error) => void;
};

/** Connects a worker to the writer process of its host. Items submitted in one event loop iteration share a frame. */
export class WriterClient {
  private link: Link | undefined;
  private readonly links = new Set<Link>();
  private unsent: Pending[] = [];
  private lastId = 0;
  private isScheduled = false;
  private isClosed = false;
  /** runs while items wait */
  private expiry: NodeJS.Timeout | undefined;

  constructor(private readonly path: string) {
    this.connect();
  }

  /**
   * Resolves to the result of the item.
   * @throws CodedError the writer's error; `overloaded`; `shutting_down` when the writer has exited: the item may be committed or not
   * @throws ClientDisconnected
   */
  submit(group: string, item: Json, isDisconnected: IsDisconnected, traceparent?: string): Promise<Json> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(noReply());
      let count = this.unsent.length;
      for (const link of this.links) count += link.sent.size;
      if (count >= MAX_PENDING) return reject(queueFull(group));
      const text = JSON.stringify(item);
      this.unsent.push({
        id: ++this.lastId,
        group,
        item: traceparent === undefined ? text : `${text},"${traceparent}"`,
        isDisconnected,
        submittedAt: performance.now(),
        resolve,
        reject,
      });
      this.expiry ??= setInterval(() => this.expire(), EXPIRE_EVERY_MS).unref();
      this.schedule();
    });
  }

  /** Call this when no response of the application depends on the writer. */
  close(): void {
    this.isClosed = true;
    clearInterval(this.expiry);
    for (const pending of this.unsent.splice(0)) pending.reject(noReply());
    for (const link of this.links) link.socket.destroy();
  }

  private connect(): void {
    const socket = connect(this.path);
    let link: Link | undefined;
    socket.once('connect', () => {
      link = new Link(socket, () => this.abandonLink(link!));
      this.links.add(link);
      this.link = link;
      this.schedule();
    });
    socket.on('error', () => undefined); // 'close' follows
    socket.once('close', () => {
      if (link === undefined) return void setTimeout(() => this.isClosed || this.connect(), RECONNECT_MS).unref();
      this.links.delete(link);
      this.abandonLink(link);
    });
  }

  /** Sends new items over a new connection. */
  private abandonLink(link: Link): void {
    if (this.link !== link) return;
    this.link = undefined;
    if (!this.isClosed) this.connect();
  }

  /** Sends when all earlier disconnects have been read. Requests read together share a frame. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    void afterNextPoll().then(() => {
      this.isScheduled = false;
      this.link?.send(this.unsent.splice(0));
    });
  }

  private expire(): void {
    const now = performance.now();
    this.unsent = this.unsent.filter((pending) => {
      if (now - pending.submittedAt < MAX_UNSENT_MS) return true;
      pending.reject(pending.isDisconnected() ? new ClientDisconnected() : noReply());
      return false;
    });
    for (const link of this.links) link.expire(now);
    if (this.unsent.length > 0 || [...this.links].some(({ sent }) => sent.size > 0)) return;
    clearInterval(this.expiry);
    this.expiry = undefined;
  }
}

class Link {
  readonly sent = new Map<number, Pending>();
  private isDraining = false;

  constructor(
    readonly socket: Socket,
    onDraining: () => void,
  ) {
    readFrames<FromWriter>(socket, ({ results, isDraining }) => {
      for (const result of results ?? []) this.settle(...result);
      if (isDraining) {
        this.isDraining = true;
        onDraining();
      }
      this.endIfDone();
    });
    socket.once('close', () => {
      for (const pending of this.sent.values()) pending.reject(noReply());
      this.sent.clear();
    });
  }

  send(items: Pending[]): void {
    let text = '';
    const head = `{"sentAt":${hostClock()},"items":[`;
    for (const pending of items) {
      if (pending.isDisconnected()) {
        pending.reject(new ClientDisconnected());
        countGone(pending.group);
        continue;
      }
      this.sent.set(pending.id, pending);
      text += `${text === '' ? head : ','}[${pending.id},"${pending.group}",${pending.item}]`;
      if (text.length < FRAME_LENGTH) continue;
      this.socket.write(encodeFrame(`${text}]}`));
      text = '';
    }
    if (text !== '') this.socket.write(encodeFrame(`${text}]}`));
  }

  /** Rejects items that have waited too long. The writer may have written them. */
  expire(now: number): void {
    for (const { id, submittedAt, reject } of this.sent.values()) {
      if (now - submittedAt < RESPONSE_TIMEOUT_MS) continue;
      this.sent.delete(id);
      reject(noReply());
    }
  }

  private settle(id: number, result: Json, error?: Parameters<typeof fromPortable>[0]): void {
    const pending = this.sent.get(id);
    if (pending === undefined) return;
    this.sent.delete(id);
    if (error === undefined) pending.resolve(result);
    else pending.reject(fromPortable(error));
  }

  private endIfDone(): void {
    if (this.isDraining && this.sent.size === 0) this.socket.end();
  }
}

function noReply(): CodedError {
  const detail = 'The writer process has exited or does not respond. Send the request again.';
  return new CodedError('shutting_down', detail, { retryAfterSeconds: 1 });
}
