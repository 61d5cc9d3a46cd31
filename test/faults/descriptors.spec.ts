import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawClient } from '../support/raw-client.js';
import { useServer } from '../support/server.js';
import { until } from '../support/until.js';
import { HttpClient } from './suite/http-client.js';

/** Returns the limit under which a process can open `room` more files. The system assigns the lowest free numbers. */
function limitWithRoom(pid: number, room: number): number {
  const taken = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let limit = 0;
  for (let left = room; left > 0; limit++) if (!taken.has(limit)) left--;
  return limit;
}

const softLimit = (pid: number, limit: number): void => {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
};

describe.each([
  { who: 'each web worker', workers: '2' },
  { who: 'a server of one process', workers: '1' },
])('no file descriptors left: $who', ({ who, workers }) => {
  const served = useServer({ processes: Number(workers) });

  it('keeps open connections, and serves new ones when descriptors are available', async () => {
    const { host, url } = served;
    const before = host
      .processes()
      .map(({ pid }) => pid)
      .sort();
    const kept = Array.from({ length: 6 }, () => new HttpClient(url));
    const path = '/v1/feed?limit=1';
    for (const client of kept) expect((await client.send({ method: 'GET', path })).status).toBe(200);
    const short = workers === '1' ? [host.pid] : host.workers('web');
    expect(short).toHaveLength(Number(workers));
    const limit = Number(
      execFileSync('prlimit', ['--pid', String(host.pid), '--nofile', '-o', 'SOFT', '--noheadings']),
    );
    // Allows only a few more files.
    for (const pid of short) softLimit(pid, limitWithRoom(pid, 4));
    const flood = Array.from({ length: 100 }, () => new RawClient(url).send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`));
    await sleep(2_000);
    const answered = flood.filter((client) => client.answers().length > 0).length;
    const closed = flood.filter(({ socket }) => socket.destroyed).length;
    for (let turn = 0; turn < 10; turn++) {
      for (const client of kept) {
        const answer = await client.send({ method: 'GET', path });
        expect([answer.status, answer.isReused]).toEqual([200, true]);
      }
    }
    for (const pid of short) softLimit(pid, limit);
    flood.forEach(({ socket }) => socket.destroy());
    const freedAt = performance.now();
    let failed = 0;
    let row = 0;
    await until(
      async () => {
        const fresh = new HttpClient(url, false);
        const isGood = await fresh.send({ method: 'GET', path }).then(
          ({ status }) => status === 200,
          () => false,
        );
        fresh.close();
        row = isGood ? row + 1 : 0;
        if (!isGood) failed++;
        return row === 8 || null;
      },
      () => `no way back:\n${host.output.slice(-2_000)}`,
    );
    console.log(
      `${who}: of 100 new connections ${answered} were answered, ${closed} closed, the others waited; ` +
        `${failed} failed after the limit was lifted, back after ${(performance.now() - freedAt).toFixed(0)} ms`,
    );
    expect(answered).toBeLessThan(100);
    expect(
      host
        .processes()
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual(before);
    kept.forEach((client) => client.close());
  });
});
