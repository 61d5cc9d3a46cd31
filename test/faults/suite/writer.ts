import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { windowEnd } from '../../../src/views/event-keys.js';
import type { Account, Tokens } from './cast.js';
import { EVENT_WINDOW_HOURS } from './event-check.js';
import { HttpClient, type HttpAnswer, type HttpRequest, NoAnswer } from './http-client.js';
import type { Ledger, Made, Pair } from './ledger.js';
import type { Random } from './random.js';
import { type Relation, RELATIONS, type RelationKind, type RelationState, shownStateOf } from './relations.js';
import { type Thing, type ThingKind, THINGS } from './things.js';

export type Scene = {
  ledger: Ledger;
  tokens: Tokens;
  accounts: Account[];
  /** Accounts that write nothing, to be blocked and muted: a block ends follows, and refuses votes. */
  bystanders: Account[];
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
/** No account may follow more. */
const TAGS = Array.from({ length: 20 }, (_, at) => `faults${at}`);

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
  /** rows of this writer whose state is known */
  private readonly own: Made[] = [];
  private readonly duties: readonly (readonly [weight: number, (account: Account) => Promise<void>])[] = [
    [20, (account) => this.relate(account, 'post_vote', this.target())],
    [10, (account) => this.relate(account, 'comment_vote', this.random.pick(this.scene.commentIds))],
    [10, (account) => this.see(account)],
    [8, (account) => this.relate(account, 'save', this.target())],
    [8, (account) => this.relateTo(account, 'follow', this.scene.accounts)],
    [8, (account) => this.collect(account)],
    [2, (account) => this.relate(account, 'collection_vote', this.list())],
    [2, (account) => this.relate(account, 'collection_follow', this.list())],
    [2, (account) => this.relate(account, 'hide', this.target())],
    [2, (account) => this.relate(account, 'watch', this.target())],
    [2, (account) => this.relateTo(account, 'bell', this.scene.accounts)],
    [2, (account) => this.relateTo(account, 'block', this.scene.bystanders)],
    [2, (account) => this.relateTo(account, 'mute', this.scene.bystanders)],
    [2, (account) => this.relate(account, 'tag', this.random.pick(TAGS))],
    [1, (account) => this.change(account, 'profile')],
    [1, (account) => this.change(account, 'settings')],
    [1, (account) => this.feature(account)],
    [8, (account) => this.make(account, 'comment')],
    [4, (account) => this.make(account, 'post')],
    [2, (account) => this.make(account, 'collection')],
    [3, (account) => this.make(account, 'draft')],
    [1, (account) => this.make(account, 'filter')],
    [6, () => this.edit()],
    [2, () => this.publish()],
    [6, () => this.remove()],
  ];

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
    const total = this.duties.reduce((sum, [weight]) => sum + weight, 0);
    while (!this.isOver) {
      let left = this.random.next() * total;
      const [, perform] = this.duties.find(([weight]) => (left -= weight) < 0)!;
      await perform(this.random.pick(this.accounts));
    }
  }

  private list(): string {
    return this.random.pick(this.scene.accounts).listId;
  }

  private async relateTo(account: Account, kind: RelationKind, others: readonly Account[]): Promise<void> {
    const other = this.random.pick(others);
    if (other.id !== account.id) await this.relate(account, kind, other.id, other.username);
  }

  private async relate(account: Account, kind: RelationKind, targetId: string, name = targetId): Promise<void> {
    const { path, states, body }: Relation = RELATIONS[kind];
    const state = this.random.next() < 0.65 ? this.random.pick(states) : null;
    const request: HttpRequest =
      state === null
        ? { method: 'DELETE', path: path(name) }
        : { method: 'PUT', path: path(name), ...(body !== undefined && { body: body(state) }) };
    await this.drive(account, { kind, userId: account.id, targetId, account }, state, request);
  }

  private async change(account: Account, kind: 'profile' | 'settings'): Promise<void> {
    const { path, states, body }: Relation = RELATIONS[kind];
    const state = this.random.pick(states);
    const pair: Pair = { kind, userId: account.id, targetId: account.id, account };
    await this.drive(account, pair, state, { method: 'PATCH', path: path(''), body: body(state) });
  }

  private async feature(account: Account): Promise<void> {
    if (account.postId !== undefined) await this.relate(account, 'featured', account.postId);
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
    ledger.acknowledged('recordPostEvent');
    const { counted } = JSON.parse(answer.text) as { counted: unknown };
    if (event.isAcknowledged && counted !== false) ledger.violated(`${request.path}: a second ${kind} was counted`);
    event.isAcknowledged = true;
  }

  /** Adds a post to the account's list, next to an existing post, or removes a post. */
  private async collect(account: Account): Promise<void> {
    const pairOf = (targetId: string): Pair => ({ kind: 'item', userId: account.listId, targetId, account });
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

  private async drive(account: Account, pair: Pair, state: RelationState, request: HttpRequest): Promise<void> {
    const { ledger } = this.scene;
    if (!ledger.isKnown(pair)) return;
    const answer = await this.insist(account, request, [200, 204]);
    if (answer === null) return ledger.giveUp(pair, state);
    ledger.acknowledge(pair, state);
    if (answer.status === 204) return;
    const body = JSON.parse(answer.text) as Record<string, unknown>;
    const { kind, targetId } = pair;
    const { shown }: Relation = RELATIONS[kind];
    // The response of a vote has its value, that of an item its position.
    const value = kind === 'item' ? Boolean(body['position']) : (body[shown!.field] ?? body['value'] ?? null);
    const found = shownStateOf(value, targetId);
    if (found !== state)
      ledger.violated(`${request.method} ${request.path} answered ${String(found)}, asked ${String(state)}`);
  }

  private async make(account: Account, kind: ThingKind): Promise<void> {
    const id = randomUUID();
    const { path, body, operation, isKeyed } = (THINGS[kind] as Thing).create;
    const mark = `${kind} ${id}`;
    const request: HttpRequest = { method: 'POST', path: path(this.target()), body: body(mark) };
    await this.create(
      { account, kind, mark, texts: [mark], edits: 0 },
      operation,
      isKeyed ? { ...request, key: id } : request,
    );
  }

  private async create(about: Omit<Made, 'id' | 'deleted'>, operation: string, request: HttpRequest): Promise<boolean> {
    const { ledger } = this.scene;
    const made: Made = { ...about, id: undefined, deleted: 'no' };
    ledger.made.push(made);
    const answer = await this.insist(made.account, request, [201]);
    if (answer === null) {
      ledger.counts.unknown++;
      return false;
    }
    ledger.acknowledged(operation);
    if (answer.headers['idempotent-replayed'] !== undefined) ledger.counts.replayed++;
    made.id = (JSON.parse(answer.text) as { id: string }).id;
    this.own.push(made);
    return true;
  }

  private async edit(): Promise<void> {
    const made = this.random.pick(this.own);
    if (made === undefined) return;
    const { path, edit }: Thing = THINGS[made.kind];
    const text = `${made.mark} ${++made.edits}`;
    made.texts.push(text);
    const request = { method: 'PATCH', path: path(made.id!), body: edit.body(text), ifMatch: '*' };
    if ((await this.insist(made.account, request, [200])) === null) return this.abandon(made);
    made.texts = [text];
    this.scene.ledger.acknowledged(edit.operation);
  }

  /** The draft and its post have the same mark. */
  private async publish(): Promise<void> {
    const at = this.own.findIndex(({ kind }) => kind === 'draft');
    if (at === -1) return;
    const [draft] = this.own.splice(at, 1) as [Made];
    draft.deleted = 'unknown';
    const request: HttpRequest = { method: 'POST', path: `/v1/drafts/${draft.id}/publish`, key: randomUUID() };
    if (await this.create({ ...draft, kind: 'post' }, 'publishDraft', request)) draft.deleted = 'yes';
  }

  /** Deletes a row of this writer, because the order of deletions between writers would be unknown. Half of the posts return from the trash. */
  private async remove(): Promise<void> {
    if (this.own.length === 0) return;
    const [made] = this.own.splice(this.random.below(this.own.length), 1) as [Made];
    const { path, remove }: Thing = THINGS[made.kind];
    made.deleted = 'unknown';
    if ((await this.insist(made.account, { method: 'DELETE', path: path(made.id!) }, [204])) === null)
      return this.abandon(made);
    made.deleted = 'yes';
    this.scene.ledger.acknowledged(remove);
    if (made.kind !== 'post' || this.random.next() < 0.5) return;
    made.deleted = 'unknown';
    const restore = { method: 'POST', path: `/v1/drafts/${made.id}/restore`, key: randomUUID() };
    if ((await this.insist(made.account, restore, [201])) === null) return this.abandon(made);
    made.deleted = 'no';
    this.scene.ledger.acknowledged('restoreDraft');
    this.own.push(made);
  }

  /** Sends nothing more to a row in one of two states. */
  private abandon(made: Made): void {
    this.scene.ledger.counts.unknown++;
    const at = this.own.indexOf(made);
    if (at !== -1) this.own.splice(at, 1);
  }

  /** Returns null for a request abandoned, or ended by `stop`, with an unknown result. */
  private async insist(account: Account, request: HttpRequest, expected: number[]): Promise<HttpAnswer | null> {
    const { ledger, tokens } = this.scene;
    const what = `${request.method} ${request.path}`;
    const isOnce = request.method === 'POST' && request.key === undefined && !request.path.endsWith('/events');
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
        if (isOnce || Date.now() > this.giveUpAt || this.random.next() < GIVE_UP) return null;
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
      if (isOnce || Date.now() > this.giveUpAt) return null;
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
