import { type Db, ObjectId } from 'mongodb';
import { WAIT_MS } from '../../support/until.js';
import type { Account, Tokens } from './cast.js';
import { HttpClient, type HttpRequest } from './http-client.js';

/** Resolves when the stopped process resumes. */
export type Disturbance = { over: Promise<void> };

type Change = Pick<HttpRequest, 'method' | 'path' | 'body'>;

/** Writes of one account on one target: `first`, and after its acknowledgement `second`. */
type State = {
  account: Account;
  first: Change;
  second: Change;
  /** The expected row at the end; null means no row. */
  row: { collection: string; filter: object; value: string | null };
};

/**
 * Clients that give up after a while, close their connection, repeat the same change over a new one until its acknowledgement, and then
 * change their mind. Votes, saves and follows each have an account and a target that no other client uses.
 */
export class ChangedMinds {
  private made = 0;
  private readonly acknowledged: State[] = [];
  /** Number of first attempts without a response. */
  givenUp = 0;

  constructor(
    private readonly url: string,
    private readonly tokens: Tokens,
    private readonly accounts: readonly Account[],
    private readonly postIds: readonly string[],
    private readonly confirmTimeoutMs = 1_000,
  ) {}

  /**
   * @param disturb stops a process and resolves when it is stopped, to a promise of its resumption. `round` calls `disturb` when every
   * client has its connection.
   */
  async round(clients: number, disturb: () => Disturbance | Promise<Disturbance>): Promise<void> {
    const kept = Array.from({ length: clients }, () => new HttpClient(this.url));
    await Promise.all(kept.map((client) => client.send({ method: 'GET', path: '/health/live' })));
    const { over } = await disturb();
    await Promise.all(kept.map((client) => this.live(client, this.next())));
    await over;
    kept.forEach((client) => client.close());
  }

  /** Returns the states acknowledged since the last call that differ from the database. */
  async undone(db: Db): Promise<string[]> {
    const lines: string[] = [];
    for (const { account, second, row } of this.acknowledged.splice(0)) {
      const found = await db.collection(row.collection).findOne(row.filter);
      const value = found === null ? null : String(found['value'] ?? 'there');
      if (value !== row.value) lines.push(`${account.username} ${second.method} ${second.path}: ${value}`);
    }
    return lines;
  }

  private async live(first: HttpClient, state: State): Promise<void> {
    const token = this.tokens.of(state.account);
    const until = performance.now() + WAIT_MS;
    const attempt = (client: HttpClient, change: Change): Promise<boolean> =>
      client.send({ ...change, token, confirmTimeoutMs: this.confirmTimeoutMs }).then(
        ({ status }) => status === 200,
        () => false,
      );
    let isFirst = true;
    for (const change of [state.first, state.second]) {
      for (let isDone = false; !isDone; isFirst = false) {
        if (performance.now() > until) throw new Error(`never acknowledged: ${change.method} ${change.path}`);
        const client = isFirst ? first : new HttpClient(this.url, false);
        isDone = await attempt(client, change);
        if (isFirst && !isDone) this.givenUp++;
        if (!isFirst) client.close();
      }
    }
    this.acknowledged.push(state);
  }

  private next(): State {
    const number = this.made++;
    const nth = Math.floor(number / 3);
    const { accounts, postIds } = this;
    const account = accounts[nth % accounts.length]!;
    const turn = Math.floor(nth / accounts.length);
    const postId = postIds[turn % postIds.length]!;
    const other = accounts[(nth + 1 + turn) % accounts.length]!;
    const userId = new ObjectId(account.id);
    const targetId = new ObjectId(postId);
    switch (number % 3) {
      case 0: {
        const vote = (value: string): Change => ({ method: 'PUT', path: `/v1/posts/${postId}/vote`, body: { value } });
        const row = { collection: 'interactions', filter: { userId, targetId, kind: 'vote' }, value: 'dislike' };
        return { account, first: vote('like'), second: vote('dislike'), row };
      }
      case 1: {
        const path = `/v1/posts/${postId}/save`;
        const row = { collection: 'interactions', filter: { userId, targetId, kind: 'save' }, value: null };
        return { account, first: { method: 'PUT', path }, second: { method: 'DELETE', path }, row };
      }
      default: {
        const path = `/v1/users/${other.username}/follow`;
        const filter = { followerId: userId, followingId: new ObjectId(other.id) };
        const row = { collection: 'follows', filter, value: null };
        return { account, first: { method: 'PUT', path }, second: { method: 'DELETE', path }, row };
      }
    }
  }
}
