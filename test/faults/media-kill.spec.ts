import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { formOf, noise } from '../support/pictures.js';
import { scale } from '../support/scale.js';
import { useServed } from '../support/served.js';
import { until } from '../support/until.js';

const KILLS = scale('mediaKills');

describe('uploads while the process that stores them is killed', () => {
  const served = useServed({ HTTP_WORKERS: '2', JOBS_ENABLED: 'true', SWEEP_GRACE_MS: '0' });

  it('are there as a whole or not at all, and leave no file without a row', async () => {
    const { client, host, author } = served;
    const mongo = new MongoClient(process.env.TEST_MONGODB_URI!);
    const environment = host.childEnvironment();
    const media = mongo.db(environment['MONGODB_DATABASE']).collection('media');
    const acknowledged: string[] = [];
    let isOver = false;
    const uploads = [1, 2, 3].map(async () => {
      while (!isOver) {
        const bytes = await noise(1_300, 900).jpeg().toBuffer();
        const answer = await client.post('/v1/media', { token: author.token, ...formOf({ bytes }) }).catch(() => null);
        if (answer?.status === 201) acknowledged.push(answer.body.url);
        else await sleep(100);
      }
    });
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        const count = acknowledged.length;
        await until(() => (acknowledged.length > count ? true : null));
        const pids = await until(() => (host.readyWorkers('web').length === 2 ? host.readyWorkers('web') : null));
        // while files are being stored, or anywhere between the first byte of an upload and its answer
        if (kill % 2 === 0)
          await until(async () => ((await media.countDocuments({ state: 'pending' })) > 0 ? true : null));
        else await sleep(Math.random() * 500);
        for (const pid of pids) process.kill(pid, 'SIGKILL');
      }
      isOver = true;
      await Promise.all(uploads);
      // killed uploads are looked at after an hour
      const isPending = { state: 'pending' };
      await media.updateMany(isPending, { $set: { sweepAt: new Date(0) } });
      await until(async () => ((await media.countDocuments(isPending)) === 0 ? true : null));
      const isReady = () =>
        client.get('/health/ready').then(
          ({ status }) => (status === 200 ? true : null),
          () => null,
        );
      await until(isReady);
      for (const url of acknowledged) expect([url, (await client.get(url)).status]).toEqual([url, 200]);
      const output = execFileSync(process.execPath, ['dist/src/cli.js', 'media', 'audit'], {
        env: { ...process.env, ...environment },
        encoding: 'utf8',
      });
      expect(output).toMatch(/^0 faults among \d+ pictures and \d+ files\.$/m);
    } finally {
      isOver = true;
      await Promise.all(uploads);
      await mongo.close();
    }
  });
});
