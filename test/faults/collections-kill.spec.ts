import { setTimeout as sleep } from 'node:timers/promises';
import { differences } from '../support/audit.js';
import { useServedPeople } from '../support/served-people.js';
import { until } from '../support/until.js';
import type { Account, Tokens } from './suite/cast.js';
import { HttpClient, type HttpRequest } from './suite/http-client.js';
import { Random } from './suite/random.js';

const OWNERS = 8;
const POSTS = 20;
const KILLS = 6;
/** Acknowledged writes between two kills. */
const STEPS = 40;

/** One owner who puts, moves and takes out posts, each request again until it is answered; `order` is what the list must hold. */
class Owner {
  readonly order: string[] = [];
  acknowledged = 0;

  constructor(
    private readonly client: HttpClient,
    private readonly tokens: Tokens,
    private readonly account: Account,
    private readonly posts: string[],
    private readonly random: Random,
  ) {}

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.step();
  }

  private async step(): Promise<void> {
    const post = this.random.pick(this.posts);
    const others = this.order.filter((other) => other !== post);
    const path = `/v1/collections/${this.account.listId}/posts/${post}`;
    if (this.random.next() < 0.2) {
      await this.insist({ method: 'DELETE', path });
      this.order.splice(0, this.order.length, ...others);
      return;
    }
    const before = others.length > 0 && this.random.next() < 0.7 ? this.random.pick(others) : undefined;
    await this.insist({ method: 'PUT', path, body: { before } });
    if (before === undefined) {
      if (!this.order.includes(post)) this.order.push(post);
      return;
    }
    others.splice(others.indexOf(before), 0, post);
    this.order.splice(0, this.order.length, ...others);
  }

  private async insist(request: HttpRequest): Promise<void> {
    for (;;) {
      const answer = await this.client.send({ ...request, token: this.tokens.of(this.account) }).catch(() => null);
      if (answer?.status === 200) break;
      if (answer !== null && answer.status !== 503) throw new Error(`${answer.status} ${answer.text}`);
      await sleep(50);
    }
    this.acknowledged++;
  }

  get listId(): string {
    return this.account.listId;
  }
}

describe('collections of owners who go on while processes are killed', () => {
  const served = useServedPeople({ people: OWNERS, posts: POSTS });

  it('hold every acknowledged post at the place that was acknowledged', async () => {
    const { url, host, tokens, people, postIds } = served;
    const client = new HttpClient(url, false);
    const owners = people.map((account, at) => new Owner(client, tokens, account, postIds, new Random(at + 1)));
    let isOver = false;
    const running = Promise.all(owners.map((owner) => owner.run(() => isOver)));
    const acknowledged = () => owners.reduce((sum, owner) => sum + owner.acknowledged, 0);
    const goOn = async () => {
      const goal = acknowledged() + STEPS;
      await until(() => acknowledged() >= goal || null);
    };
    for (let kills = 0; kills < KILLS; kills++) {
      await goOn();
      const pid = host.workers(kills % 3 === 2 ? 'web' : 'writer')[0];
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    }
    await goOn();
    isOver = true;
    await running;
    for (const { listId, order } of owners) {
      const { text } = await client.send({ method: 'GET', path: `/v1/collections/${listId}/posts?limit=100` });
      const { data } = JSON.parse(text) as { data: { post: { id: string } }[] };
      expect(data.map(({ post }) => post.id)).toEqual(order);
    }
    client.close();
    expect(await differences(served.database.db)).toEqual([]);
  });
});
