import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Binary, ObjectId } from 'mongodb';
import { fromBuffer, type ZipFile } from 'yauzl';
import { readTreeUsage } from '../../benchmarks/harness/process-tree.js';
import { compressBody } from '../../src/rendering/body-codec.js';
import { isLong } from '../support/scale.js';
import { publish, residentMb, useServer } from '../support/server.js';
import { until } from '../support/until.js';

const POSTS = 10_000;
const TEXT_BYTES = 12_000;
/** A process that held every text, or the streams of every entry, would grow by 170 MiB. */
const MAX_GROWTH_MIB = 80;

/** `TEST_SCALE=long npm run jest -- test/faults/export-memory.spec.ts` prints the measured figures. */
describe(`an export of ${POSTS} posts`, () => {
  const served = useServer({ processes: 2, jobs: true });

  it(`has all of them, and its process grows by ${MAX_GROWTH_MIB} MiB at most`, async () => {
    await fill();
    const [jobs] = served.host.workers('jobs') as [number];
    const idleMib = residentMb(jobs);
    const { token } = served.author;
    const [began, cpuBefore] = [performance.now(), readTreeUsage(jobs).cpuMicros / 1e6];
    const asked = await served.client.post('/v1/users/me/exports', { token });
    const path = asked.headers.get('location')!;
    let body: Record<string, unknown> = {};
    const ready = await until(
      async () => {
        ({ body } = await served.client.get(path, { token }));
        return body['state'] === 'ready' ? body : null;
      },
      () => `it is not ready: ${JSON.stringify(body)}`,
    );
    const seconds = (performance.now() - began) / 1_000;
    const cpuSeconds = readTreeUsage(jobs).cpuMicros / 1e6 - cpuBefore;
    const peakMib = peakOf(jobs);
    if (isLong)
      console.log({ idleMib, peakMib, afterMib: residentMb(jobs), seconds, cpuSeconds, bytes: ready['bytes'] });
    const file = Buffer.from(await (await fetch(served.url + String(ready['url']))).arrayBuffer());
    const zip = await new Promise<ZipFile>((resolve, reject) =>
      fromBuffer(file, (error, opened) => (error ? reject(error) : resolve(opened))),
    );
    expect(zip.entryCount).toBeGreaterThanOrEqual(POSTS);
    // The same process wrote the export, not a replacement.
    expect(served.host.workers('jobs')).toEqual([jobs]);
    expect(peakMib - idleMib).toBeLessThan(MAX_GROWTH_MIB);
  });

  /** Inserts copies of a post that the server wrote, with texts that hardly compress. */
  async function fill(): Promise<void> {
    // The post is hidden, because rendering would start threads with their own heaps.
    const { id } = await publish(served, { isPublic: false });
    const { db } = served;
    const _id = ObjectId.createFromHexString(id);
    const [post, body] = [
      await db.collection('posts').findOne({ _id }),
      await db.collection('post_bodies').findOne({ _id }),
    ];
    for (let begin = 0; begin < POSTS; begin += 500) {
      const ids = Array.from({ length: 500 }, () => new ObjectId());
      await db
        .collection('posts')
        .insertMany(ids.map((_id, at) => ({ ...post, _id, slug: `post-${begin + at}-of-many` })));
      await db.collection('post_bodies').insertMany(
        ids.map((_id) => {
          const { bytes, ...packed } = compressBody(randomBytes(TEXT_BYTES / 2).toString('hex'));
          return { ...body, ...packed, bytes: new Binary(bytes), _id };
        }),
      );
    }
  }
});

/** Returns the peak memory of a process. */
function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
}
