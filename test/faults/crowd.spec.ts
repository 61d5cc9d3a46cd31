import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../support/client.js';
import { publish, useServer } from '../support/server.js';
import type { Account } from './suite/cast.js';
import { runCli } from './suite/server-under-test.js';

const CROWD = 1_000;

describe('a thousand concurrent likes of one post, over two web processes', () => {
  const server = useServer({
    processes: 2,
    people: CROWD,
    // overload.spec.ts tests these limits.
    environment: { HTTP_MAX_IN_FLIGHT: '10000', HTTP_MAX_CONNECTIONS_PER_ADDRESS: '100000' },
  });

  /** Returns the workers of the responses, by the mark in their request ids. */
  const workersOf = (answers: Answer[]): Set<string> =>
    new Set(answers.map(({ headers }) => String(headers.get('x-request-id')).replace(/-[^-]*$/, '')));
  const audit = (): ReturnType<typeof runCli> => runCli(server.host, ['counters', 'audit']);
  /** Retries after 503, as clients do. */
  const like = async (id: string, person: Account): Promise<Answer> => {
    const request = { token: server.tokens.of(person), body: { value: 'like' } };
    for (;;) {
      const answer = await server.client.put(`/v1/posts/${id}/vote`, request);
      if (answer.status !== 503) return answer;
      expect(answer.body.code).toBe('overloaded');
      await sleep(Number(answer.headers.get('retry-after')) * 1_000);
    }
  };

  it('are counted as a thousand, and each response has a different count', async () => {
    const { id } = await publish(server);
    const answers = await Promise.all(server.people.map((person) => like(id, person)));
    expect(answers.map(({ body }) => body.stats.likesCount as number).sort((a, b) => a - b)).toEqual(
      server.people.map((_, index) => index + 1),
    );
    expect(workersOf(answers).size).toBe(2);
    const { body } = await server.client.get(`/v1/posts/${id}`, { token: server.author.token });
    expect(body.stats.likesCount).toBe(CROWD);
    expect(await audit()).toMatchObject({ code: 0, output: expect.stringContaining('0 differences') as string });
  });

  it('are counted once when they are one and the same', async () => {
    const { id } = await publish(server);
    const answers = await Promise.all(server.people.map(() => like(id, server.people[0]!)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.stats.likesCount}`))).toEqual(
      new Set(['200 1']),
    );
    expect(workersOf(answers).size).toBe(2);
    expect(await audit()).toMatchObject({ code: 0, output: expect.stringContaining('0 differences') as string });
  });
});
