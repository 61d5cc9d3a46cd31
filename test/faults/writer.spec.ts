import { differences } from '../support/audit.js';
import { type Server, useServer } from '../support/server.js';
import { until } from '../support/until.js';
import { type HttpAnswer, HttpClient } from './suite/http-client.js';

const PEOPLE = 24;
const SERVED = { processes: 2, jobs: false, people: PEOPLE, posts: 1 };
type Choice = 'like' | 'dislike';

/** Sends votes of all accounts on one post, each over a new connection, because a frozen web process accepts none. */
class Votes {
  constructor(private readonly server: Server) {}

  get path(): string {
    return `/v1/posts/${this.server.postIds[0]}/vote`;
  }

  get writerPid(): number {
    return this.server.host.workers('writer')[0]!;
  }

  async send(value: Choice, voters = this.server.people): Promise<HttpAnswer[]> {
    const { url, tokens } = this.server;
    const client = new HttpClient(url, false);
    const vote = { method: 'PUT', path: this.path, body: { value } };
    const responses = await Promise.all(voters.map((one) => client.send({ ...vote, token: tokens.of(one) })));
    client.close();
    return responses;
  }

  /** Retries requests that get 503 until all are stored. */
  async sendUntilDone(value: Choice): Promise<void> {
    let left = this.server.people;
    await until(async () => {
      const responses = await this.send(value, left);
      for (const { status } of responses) expect([200, 503]).toContain(status);
      left = left.filter((_, at) => responses[at]!.status === 503);
      return left.length === 0 || null;
    });
    await this.expectStored(value);
  }

  async expectStored(value: Choice): Promise<void> {
    const { db, people } = this.server;
    const rows = await db.collection('interactions').find().toArray();
    expect(rows.map((row) => row['value'] as unknown)).toEqual(people.map(() => value));
    expect(await differences(db)).toEqual([]);
  }
}

const all200 = Array<number>(PEOPLE).fill(200);
const statuses = (responses: HttpAnswer[]): number[] => responses.map(({ status }) => status);

describe('the writer of a host', () => {
  // Stopped processes are not replaced.
  const server = useServer({ ...SERVED, environment: { PROCESS_SILENCE_TIMEOUT_MS: '120000' } });
  let votes: Votes;
  beforeAll(() => {
    votes = new Votes(server);
  });

  it('keeps writes waiting while it is frozen, and reads continue', async () => {
    await votes.sendUntilDone('dislike');
    const frozen = votes.writerPid;
    process.kill(frozen, 'SIGSTOP');
    let isDone = false;
    const waiting = votes.send('like').finally(() => (isDone = true));
    const reads = new HttpClient(server.url);
    try {
      for (let turn = 0; turn < 20; turn++) {
        const { status } = await reads.send({ method: 'GET', path: `/v1/posts/${server.postIds[0]}` });
        expect([status, isDone]).toEqual([200, false]);
      }
    } finally {
      reads.close();
      process.kill(frozen, 'SIGCONT');
    }
    expect(statuses(await waiting)).toEqual(all200);
    await votes.expectStored('like');
  });

  it('is replaced when it is killed: a pending vote is stored or gets 503', async () => {
    const killed = votes.writerPid;
    const sent = votes.send('dislike');
    process.kill(killed, 'SIGKILL');
    for (const { status, headers } of await sent) {
      expect([200, 503]).toContain(status);
      if (status === 503) expect(headers['retry-after']).toBe('1');
    }
    // While the writer exits, its socket accepts data that no process reads.
    await until(() => (votes.writerPid ?? killed) !== killed || null);
    await votes.sendUntilDone('dislike');
    await until(() => server.host.readyWorkers('writer')[0]);
  });

  it('writes for the other web processes while one of them is frozen', async () => {
    await votes.sendUntilDone('like');
    for (const pid of server.host.workers('web')) {
      process.kill(pid, 'SIGSTOP');
      try {
        for (const value of ['dislike', 'like'] as const) expect(statuses(await votes.send(value))).toEqual(all200);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await votes.expectStored('like');
    }
  });
});

describe('the writer of a host that stays frozen', () => {
  const server = useServer({ ...SERVED, environment: { PROCESS_SILENCE_TIMEOUT_MS: '5000' } });

  it('is replaced; a vote that it had not stored is 503 with Retry-After', async () => {
    const votes = new Votes(server);
    const frozen = votes.writerPid;
    process.kill(frozen, 'SIGSTOP');
    const responses = await votes.send('dislike');
    for (const { status, headers, text } of responses) {
      const { code } = JSON.parse(text) as { code: string };
      expect([status, code, headers['retry-after']]).toEqual([503, 'shutting_down', '1']);
    }
    await votes.sendUntilDone('dislike');
    expect(votes.writerPid).not.toBe(frozen);
  });
});
