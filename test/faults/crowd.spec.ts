import { setTimeout as sleep } from 'node:timers/promises';
import { type TestAccount, signUp } from '../support/accounts.js';
import type { Answer } from '../support/client.js';
import { publish, useServed } from '../support/served.js';
import { runCli } from './suite/server-under-test.js';

const CROWD = 1_000;
const SIGN_UPS_AT_ONCE = 20;

describe('a thousand people at once, over two workers', () => {
  const served = useServed({
    HTTP_WORKERS: '2',
    // nobody is to be turned away here: overload.spec is about that
    HTTP_MAX_IN_FLIGHT: '10000',
    HTTP_MAX_CONNECTIONS_PER_ADDRESS: '100000',
  });
  const people: TestAccount[] = [];

  beforeAll(async () => {
    while (people.length < CROWD) {
      const wave = Array.from({ length: SIGN_UPS_AT_ONCE }, () => signUp(served.client));
      people.push(...(await Promise.all(wave)));
    }
  });

  /** Every process names its requests by a word of its own. */
  const workersOf = (answers: Answer[]): Set<string> =>
    new Set(answers.map(({ headers }) => String(headers.get('x-request-id')).replace(/-[^-]*$/, '')));
  const audit = (): ReturnType<typeof runCli> => runCli(served.host, ['counters', 'audit']);
  /** As clients do: who is told to come back later comes back, with the same request. */
  const like = async (id: string, { token }: TestAccount): Promise<Answer> => {
    for (;;) {
      const answer = await served.client.put(`/v1/posts/${id}/vote`, { token, body: { value: 'like' } });
      if (answer.status !== 503) return answer;
      refusals.add(answer.body.code as string);
      await sleep(Number(answer.headers.get('retry-after')) * 1_000);
    }
  };
  const refusals = new Set<string>();
  afterEach(() => expect([...refusals].filter((code) => code !== 'overloaded')).toEqual([]));

  it('who like one post are counted as a thousand, each told a count of their own', async () => {
    const { id } = await publish(served);
    const answers = await Promise.all(people.map((person) => like(id, person)));
    expect(answers.map(({ body }) => body.stats.likesCount as number).sort((a, b) => a - b)).toEqual(
      people.map((_, index) => index + 1),
    );
    expect(workersOf(answers).size).toBe(2);
    const { body } = await served.client.get(`/v1/posts/${id}`, { token: served.author.token });
    expect(body.stats.likesCount).toBe(CROWD);
    expect(await audit()).toMatchObject({ code: 0, output: expect.stringContaining('0 differences') as string });
  });

  it('who are one and the same are counted once', async () => {
    const { id } = await publish(served);
    const answers = await Promise.all(people.map(() => like(id, people[0]!)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.stats.likesCount}`))).toEqual(
      new Set(['200 1']),
    );
    expect(workersOf(answers).size).toBe(2);
    expect(await audit()).toMatchObject({ code: 0, output: expect.stringContaining('0 differences') as string });
  });
});
