import { setTimeout as sleep } from 'node:timers/promises';
import { differences } from '../support/audit.js';
import { useServedPeople } from '../support/served-people.js';
import { until } from '../support/until.js';
import { type HttpAnswer, HttpClient } from './suite/http-client.js';

const SILENCE_TIMEOUT_MS = 4_000;
type Choice = 'like' | 'dislike';

describe('the writer of a host', () => {
  const served = useServedPeople({ people: 24, posts: 1 }, { PROCESS_SILENCE_TIMEOUT_MS: String(SILENCE_TIMEOUT_MS) });

  /** All together, each over a new connection: a frozen worker accepts none. */
  const voteAll = async (value: Choice, voters = served.people): Promise<HttpAnswer[]> => {
    const { url, postIds, tokens } = served;
    const client = new HttpClient(url, false);
    const path = `/v1/posts/${postIds[0]}/vote`;
    const answers = await Promise.all(
      voters.map((one) => client.send({ method: 'PUT', path, body: { value }, token: tokens.of(one) })),
    );
    client.close();
    return answers;
  };
  const expectHeld = async (value: Choice): Promise<void> => {
    const { db } = served.database;
    const rows = await db.collection('interactions').find().toArray();
    expect(rows.map((row) => row['value'] as unknown)).toEqual(served.people.map(() => value));
    expect(await differences(db)).toEqual([]);
  };
  /** Sent again as long as a new writer is on its way, which on a busy machine takes longer than a write may wait. */
  const expectAllDone = async (value: Choice): Promise<void> => {
    const deadline = performance.now() + 40_000;
    for (let left = served.people; left.length > 0;) {
      expect(performance.now()).toBeLessThan(deadline);
      const answers = await voteAll(value, left);
      for (const { status } of answers) expect([200, 503]).toContain(status);
      left = left.filter((_, at) => answers[at]!.status === 503);
    }
    await expectHeld(value);
  };
  const writerPid = (): number => served.host.workers('writer')[0]!;
  const slowestMs = (answers: HttpAnswer[]): number => Math.max(...answers.map(({ tookMs }) => tookMs));

  it('keeps writes waiting while it is frozen, and reads go on', async () => {
    await expectAllDone('dislike');
    process.kill(writerPid(), 'SIGSTOP');
    const votes = voteAll('like');
    await sleep(500);
    const reads = new HttpClient(served.url);
    for (let turn = 0; turn < 20; turn++) {
      const read = await reads.send({ method: 'GET', path: `/v1/posts/${served.postIds[0]}` });
      expect([read.status, read.tookMs < 1_000]).toEqual([200, true]);
    }
    reads.close();
    await sleep(500);
    process.kill(writerPid(), 'SIGCONT');
    expect((await votes).map(({ status }) => status)).toEqual(served.people.map(() => 200));
    await expectHeld('like');
  });

  it('is replaced when it stays frozen; what it had not answered is 503 with Retry-After and can be sent again', async () => {
    const frozen = writerPid();
    process.kill(frozen, 'SIGSTOP');
    const answers = await voteAll('dislike');
    console.log(`slowest answer of a frozen writer after ${slowestMs(answers).toFixed(0)} ms`);
    for (const { status, headers, text } of answers) {
      const { code } = JSON.parse(text) as { code: string };
      expect([status, code, headers['retry-after']]).toEqual([503, 'shutting_down', '1']);
    }
    expect(slowestMs(answers)).toBeLessThan(SILENCE_TIMEOUT_MS * 1.2 + 4_000);
    await expectAllDone('dislike');
    expect(writerPid()).not.toBe(frozen);
  });

  it('is replaced when it is killed: what was sent is done or 503, what comes after waits for the next one', async () => {
    const votes = voteAll('like');
    await sleep(10);
    const killed = writerPid();
    process.kill(killed, 'SIGKILL');
    const killedAt = performance.now();
    for (const { status, headers } of await votes) {
      expect([200, 503]).toContain(status);
      if (status === 503) expect(headers['retry-after']).toBe('1');
    }
    // while it dies its socket takes what nothing reads any more
    await until(() => served.host.workers('writer')[0] !== killed || null);
    await expectAllDone('like');
    console.log(`all written again ${(performance.now() - killedAt).toFixed(0)} ms after a kill`);
    await until(() => served.host.readyWorkers('writer')[0]);
  });

  it('goes on writing for the other workers while one of them is frozen', async () => {
    for (const pid of served.host.workers('web')) {
      process.kill(pid, 'SIGSTOP');
      try {
        for (const value of ['dislike', 'like'] as const) {
          const answers = await voteAll(value);
          expect(answers.map(({ status }) => status)).toEqual(served.people.map(() => 200));
          expect(slowestMs(answers)).toBeLessThan(4_000);
        }
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await sleep(500);
      await expectHeld('like');
    }
  });
});
