import { setTimeout as sleep } from 'node:timers/promises';
import { differences } from '../support/audit.js';
import { useDatabase } from '../support/mongo.js';
import { ensureBuilt, SpawnedHost } from '../support/spawned-host.js';
import { type Account, insertAccounts, Tokens } from './suite/cast.js';
import { type HttpAnswer, HttpClient } from './suite/http-client.js';
import { hostEnvironment, runCli, writePosts } from './suite/server-under-test.js';

const PEOPLE = 24;
type Choice = 'like' | 'dislike';

describe('the process that commits for its host, frozen', () => {
  const database = useDatabase();
  const tokens = new Tokens();
  let host: SpawnedHost;
  let url: string;
  let people: Account[];
  let postId: string;

  beforeAll(async () => {
    ensureBuilt();
    host = new SpawnedHost('dist/src/main.js', {
      ...(await hostEnvironment(database.uri)),
      MONGODB_DATABASE: database.dbName,
    });
    await runCli(host, ['indexes', 'create']);
    people = await insertAccounts(database.db, PEOPLE);
    host.start();
    url = await host.url();
    [postId] = (await writePosts(url, tokens, people, 1)) as [string];
  }, 360_000);
  afterAll(() => host.remove());

  /** All at once, each over a new connection: a frozen process accepts none. */
  const voteAll = async (value: Choice): Promise<HttpAnswer[]> => {
    const client = new HttpClient(url, false);
    const path = `/v1/posts/${postId}/vote`;
    const answers = await Promise.all(
      people.map((one) => client.send({ method: 'PUT', path, body: { value }, token: tokens.of(one) })),
    );
    client.close();
    return answers;
  };
  const held = async (): Promise<unknown[]> => {
    const client = new HttpClient(url);
    const votes: unknown[] = [];
    for (const one of people) {
      const answer = await client.send({
        method: 'GET',
        path: `/v1/interactions?targets=${postId}`,
        token: tokens.of(one),
      });
      votes.push((JSON.parse(answer.text) as { data: { vote: unknown }[] }).data[0]!.vote);
    }
    client.close();
    return votes;
  };

  it('keeps the others waiting for seconds, not for good, and does not undo what they wrote when it goes on', async () => {
    for (let round = 0; round < 3; round++) await voteAll('dislike');
    let delegatedBefore = 0;
    // one of them is the lead
    for (const pid of host.workers('web')) {
      process.kill(pid, 'SIGSTOP');
      try {
        for (const [value, limitMs] of [
          ['like', 5_000],
          ['dislike', 900],
        ] as const) {
          const answers = await voteAll(value);
          expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200));
          const slowestMs = Math.max(...answers.map(({ tookMs }) => tookMs));
          console.log(`${value}: slowest answer after ${slowestMs.toFixed(0)} ms`);
          if (value === 'like' && slowestMs > 1_900) delegatedBefore++;
          expect(slowestMs).toBeLessThan(limitMs);
        }
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      // what the frozen one was given before, it finds now
      await sleep(1_500);
      expect(await held()).toEqual(people.map(() => 'dislike'));
      expect(await differences(database.db)).toEqual([]);
    }
    expect(delegatedBefore).toBe(1);
  }, 90_000);
});
