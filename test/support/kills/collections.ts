import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from '../../faults/suite/cast.js';
import { HttpClient, type HttpRequest } from '../../faults/suite/http-client.js';
import { Random } from '../../faults/suite/random.js';
import type { Server } from '../server.js';
import type { KillCase } from './kill-during.js';

/** Acknowledged writes between two kills. */
const STEPS = 40;

/** Adds, moves and removes posts, and sends each request until its acknowledgement. `order` is the expected list. */
class Owner {
  readonly order: string[] = [];
  acknowledged = 0;

  constructor(
    private readonly server: Server,
    private readonly client: HttpClient,
    readonly account: Account,
    private readonly random: Random,
  ) {}

  async step(): Promise<void> {
    const { random, order } = this;
    const post = random.pick([...this.server.postIds]);
    const others = order.filter((other) => other !== post);
    const path = `/v1/collections/${this.account.listId}/posts/${post}`;
    const isTakenOut = random.next() < 0.2;
    const before = others.length > 0 && random.next() < 0.7 ? random.pick(others) : undefined;
    await this.insist(isTakenOut ? { method: 'DELETE', path } : { method: 'PUT', path, body: { before } });
    if (!isTakenOut && before === undefined && order.includes(post)) return;
    if (!isTakenOut) others.splice(before === undefined ? others.length : others.indexOf(before), 0, post);
    order.splice(0, order.length, ...others);
  }

  private async insist(request: HttpRequest): Promise<void> {
    const token = this.server.tokens.of(this.account);
    for (;;) {
      const response = await this.client.send({ ...request, token }).catch(() => null);
      if (response?.status === 200) break;
      if (response !== null && response.status !== 503) throw new Error(`${response.status} ${response.text}`);
      await sleep(50);
    }
    this.acknowledged++;
  }
}

export const COLLECTIONS_KILLED: KillCase = {
  name: 'the writer and the web processes while collections change: every post is at its acknowledged place',
  kills: ['writer', 'web', 'writer'],
  of: (server) => {
    // A new connection for each request reaches all processes.
    const client = new HttpClient(server.url, false);
    const owners = server.people.map((account, at) => new Owner(server, client, account, new Random(at + 1)));
    const acknowledged = (): number => owners.reduce((sum, owner) => sum + owner.acknowledged, 0);
    return {
      work: async (isOver) => {
        const run = async (owner: Owner): Promise<void> => {
          while (!isOver()) await owner.step();
          for (let more = 0; more < STEPS / owners.length; more++) await owner.step();
        };
        await Promise.all(owners.map(run));
      },
      until: (kill) => acknowledged() >= (kill + 1) * STEPS,
      check: async () => {
        for (const { account, order } of owners) {
          const { text } = await client.send({
            method: 'GET',
            path: `/v1/collections/${account.listId}/posts?limit=100`,
          });
          const { data } = JSON.parse(text) as { data: { post: { id: string } }[] };
          expect(data.map(({ post }) => post.id)).toEqual(order);
        }
        client.close();
      },
    };
  },
};
