import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { windowEnd } from '../../../src/views/event-keys.js';
import type { Account, Tokens } from './cast.js';
import { EVENT_WINDOW_HOURS } from './event-check.js';
import { HttpClient, type HttpAnswer, type HttpRequest, NoAnswer } from './http-client.js';
import type { Ledger, Made, Pair, PairState } from './ledger.js';
import type { Random } from './random.js';

export type Scene = {
  ledger: Ledger;
  tokens: Tokens;
  accounts: Account[];
  /** Posts that are never deleted. The first ones get half of all votes. */
  postIds: string[];
  /** Comments that are never deleted. */
  commentIds: string[];
  hotCount: number;
  /** A proxy may retry requests without a response. */
  isProxied: boolean;
};

/** Share of writes that a client abandons when their connection ends without a response. */
const GIVE_UP = 0.1;
const FINISH_WITHIN_MS = 20_000;

/**
 * Drives some accounts, one request at a time, like a careful program. Sends repeatable requests (PUT, DELETE, POST with an
 * Idempotency-Key) again until there is a response, after the Retry-After of a 503, and abandons some of them instead.
 */
export class Writer {
  private readonly client: HttpClient;
  /** The writer sends nothing again after this time. */
  private giveUpAt = Infinity;
  private isOver = false;
  private running: Promise<void> = Promise.resolve();
  private readonly own: Made[] = [];

  constructor(
    url: string,
    private readonly scene: Scene,
    private readonly accounts: Account[],
    private readonly random: Random,
  ) {
    this.client = new HttpClient(url);
  }

  start(): void {
    this.isOver = false;
    this.giveUpAt = Infinity;
    this.running = this.run();
  }

  /** Finishes the current request. `start` continues. */
  async stop(): Promise<void> {
    this.isOver = true;
    this.giveUpAt = Date.now() + FINISH_WITHIN_MS;
    await this.running;
    this.client.close();
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const account = this.random.pick(this.accounts);
      const dice = this.random.next();
      if (dice < 0.3) await this.vote(account, 'posts', this.target());
      else if (dice < 0.4) await this.vote(account, 'comments', this.random.pick(this.scene.commentIds));
      else if (dice < 0.5) await this.see(account);
      else if (dice < 0.6) await this.save(account);
      else if (dice < 0.7) await this.follow(account);
      else if (dice < 0.8) await this.collect(account);
      else if (dice < 0.92) await this.comment(account);
      else if (dice < 0.96) await this.post(account);
      else await this.remove(account);
    }
  }

  private async vote(account: Account, what: 'posts' | 'comments', targetId: string): Promise<void> {
    const pair: Pair = { kind: 'vote', userId: account.id, targetId };
    const value = this.random.pick(['like', 'like', 'dislike', null] as const);
    const path = `/v1/${what}/${targetId}/vote`;
    await this.drive(
      account,
      pair,
      value,
      value === null ? { method: 'DELETE', path } : { method: 'PUT', path, body: { value } },
    );
  }

  /** After a retry the first response may or may not count the event. Later responses must not. */
  private async see(account: Account): Promise<void> {
    const { ledger } = this.scene;
    const kind = this.random.pick(['view', 'read', 'share'] as const);
    const window = windowEnd(Date.now(), EVENT_WINDOW_HOURS);
    const event = ledger.event(account.id, this.target(), kind, window);
    const request: HttpRequest = { method: 'POST', path: `/v1/posts/${event.postId}/events`, body: { kind } };
    const answer = await this.insist(account, request, [200]);
    if (answer === null) {
      ledger.counts.unknown++;
      return;
    }
    ledger.counts.acknowledged++;
    const { counted } = JSON.parse(answer.text) as { counted: unknown };
    if (event.isAcknowledged && counted !== false) ledger.violated(`${request.path}: a second ${kind} was counted`);
    event.isAcknowledged = true;
  }

  private async save(account: Account): Promise<void> {
    const pair: Pair = { kind: 'save', userId: account.id, targetId: this.target() };
    const isSaved = this.random.next() < 0.6;
    const path = `/v1/posts/${pair.targetId}/save`;
    await this.drive(account, pair, isSaved ? 'yes' : null, { method: isSaved ? 'PUT' : 'DELETE', path });
  }

  private async follow(account: Account): Promise<void> {
    const other = this.random.pick(this.scene.accounts);
    if (other.id === account.id) return;
    const pair: Pair = { kind: 'follow', userId: account.id, targetId: other.id };
    const isFollowing = this.random.next() < 0.6;
    const path = `/v1/users/${other.username}/follow`;
    await this.drive(account, pair, isFollowing ? 'yes' : null, { method: isFollowing ? 'PUT' : 'DELETE', path });
  }

  /** Adds a post to the account's list, next to an existing post, or removes a post. */
  private async collect(account: Account): Promise<void> {
    const pairOf = (targetId: string): Pair => ({ kind: 'item', userId: account.listId, targetId });
    const [postId, other] = [this.target(), this.target()];
    const isIn = this.random.next() < 0.7;
    const { ledger } = this.scene;
    const isAnchor = other !== postId && ledger.isKnown(pairOf(other)) && ledger.state(pairOf(other)) === 'yes';
    const path = `/v1/collections/${account.listId}/posts/${postId}`;
    const request: HttpRequest = isIn
      ? { method: 'PUT', path, body: isAnchor ? { after: other } : {} }
      : { method: 'DELETE', path };
    await this.drive(account, pairOf(postId), isIn ? 'yes' : null, request);
  }

  private async drive(account: Account, pair: Pair, state: PairState, request: HttpRequest): Promise<void> {
    const { ledger } = this.scene;
    if (!ledger.isKnown(pair)) return;
    const answer = await this.insist(account, request, [200]);
    if (answer === null) return ledger.giveUp(pair, state);
    ledger.acknowledge(pair, state);
    const body = JSON.parse(answer.text) as Record<'value' | 'isSaved' | 'isFollowing' | 'position', unknown>;
    const held = { vote: body.value, save: body.isSaved, follow: body.isFollowing, item: body.position }[pair.kind];
    const shown = pair.kind === 'vote' ? held : held ? 'yes' : null;
    if (shown !== state)
      ledger.violated(`${request.method} ${request.path} answered ${String(shown)}, asked ${String(state)}`);
  }

  private async comment(account: Account): Promise<void> {
    const mark = `comment ${randomUUID()}`;
    const path = `/v1/posts/${this.target()}/comments`;
    await this.make(account, 'comment', mark, { method: 'POST', path, key: mark.slice(8), body: { content: mark } });
  }

  private async post(account: Account): Promise<void> {
    const mark = `post ${randomUUID()}`;
    const body = {
      title: mark,
      content: `# ${mark}\n\nWritten while things break.`,
      type: 'article',
      tags: ['faults'],
    };
    await this.make(account, 'post', mark, { method: 'POST', path: '/v1/posts', key: mark.slice(5), body });
  }

  private async make(account: Account, kind: Made['kind'], mark: string, request: HttpRequest): Promise<void> {
    const { ledger } = this.scene;
    const made: Made = { kind, mark, id: undefined, deleted: 'no' };
    ledger.made.push(made);
    const answer = await this.insist(account, request, [201]);
    if (answer === null) {
      ledger.counts.unknown++;
      return;
    }
    ledger.counts.acknowledged++;
    if (answer.headers['idempotent-replayed'] !== undefined) ledger.counts.replayed++;
    made.id = (JSON.parse(answer.text) as { id: string }).id;
    this.own.push(Object.assign(made, { account }));
  }

  /** Deletes a post or comment of this client, because the order of deletions between clients would be unknown. */
  private async remove(_: Account): Promise<void> {
    if (this.own.length === 0) return this.see(_);
    const [made] = this.own.splice(this.random.below(this.own.length), 1) as [Made & { account: Account }];
    const path = made.kind === 'post' ? `/v1/posts/${made.id}` : `/v1/comments/${made.id}`;
    made.deleted = 'unknown';
    const answer = await this.insist(made.account, { method: 'DELETE', path }, [204]);
    if (answer === null) {
      this.scene.ledger.counts.unknown++;
      return;
    }
    made.deleted = 'yes';
    this.scene.ledger.counts.acknowledged++;
  }

  /** Returns null for a request abandoned, or ended by `stop`, with an unknown result. */
  private async insist(account: Account, request: HttpRequest, expected: number[]): Promise<HttpAnswer | null> {
    const { ledger, tokens } = this.scene;
    const what = `${request.method} ${request.path}`;
    let wasUnknown = this.scene.isProxied;
    for (let attempt = 0; ; attempt++) {
      if (attempt > 0) ledger.counts.retried++;
      let answer: HttpAnswer;
      try {
        answer = await this.client.send({ ...request, token: tokens.of(account) });
      } catch (error) {
        if (error instanceof NoAnswer) ledger.violated(`${what}: no answer at all`);
        ledger.counts.broken++;
        // The connection was refused, so the request was not sent.
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED' && Date.now() < this.giveUpAt) {
          await sleep(250 + this.random.below(250));
          continue;
        }
        if (Date.now() > this.giveUpAt || this.random.next() < GIVE_UP) return null;
        wasUnknown = true;
        await sleep(20 + this.random.below(80));
        continue;
      }
      ledger.took(answer.tookMs, what);
      if (expected.includes(answer.status)) return answer;
      // An earlier attempt may have succeeded without a response.
      if (request.method === 'DELETE' && answer.status === 404 && wasUnknown) return answer;
      const isBusy = answer.status === 503 || (answer.status === 409 && request.key !== undefined);
      if (!isBusy) {
        ledger.violated(`${what}: ${answer.status} ${answer.text.slice(0, 500)}`);
        return null;
      }
      const flaw = flawOf(answer);
      if (flaw !== null) ledger.violated(`${what}: ${answer.status} ${flaw}`);
      ledger.counts.refused++;
      wasUnknown = true;
      if (Date.now() > this.giveUpAt) return null;
      await sleep(Number(answer.headers['retry-after'] ?? 1) * 1_000 + this.random.below(100));
    }
  }

  private target(): string {
    const { postIds, hotCount } = this.scene;
    return this.random.next() < 0.5 ? postIds[this.random.below(hotCount)]! : this.random.pick(postIds);
  }
}

/** A refusal must be problem+json with Retry-After. */
export function flawOf({ headers, text }: HttpAnswer): string | null {
  if (!String(headers['content-type']).startsWith('application/problem+json'))
    return `is no problem+json: ${text.slice(0, 200)}`;
  if (!/^[1-9]\d*$/.test(String(headers['retry-after']))) return 'has no Retry-After';
  return null;
}
