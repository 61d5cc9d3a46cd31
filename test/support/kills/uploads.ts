import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from '../../faults/suite/server-under-test.js';
import { formOf, noise } from '../pictures.js';
import { scale } from '../scale.js';
import { until, untilNone } from '../until.js';
import type { KillCase } from './kill-during.js';

const UPLOADERS = 2;

export const UPLOADS_KILLED: KillCase = {
  name: 'the web processes while they store uploads: an upload is whole or absent, and no file is without a row',
  kills: Array<'web'>(scale('mediaKills')).fill('web'),
  of: ({ client, host, db, author: { token } }) => {
    const media = db.collection('media');
    const isPending = { state: 'pending' };
    const acknowledged: string[] = [];
    const upload = async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) {
        const bytes = await noise(900, 600).jpeg().toBuffer();
        const response = await client.post('/v1/media', { token, ...formOf({ bytes }) }).catch(() => null);
        if (response?.status === 201) acknowledged.push(response.body.url);
        else await sleep(100);
      }
    };
    return {
      work: async (isOver) => {
        await Promise.all(Array.from({ length: UPLOADERS }, () => upload(isOver)));
      },
      until: async (kill) => acknowledged.length > kill && (await media.countDocuments(isPending)) > 0,
      check: async () => {
        // The job checks an interrupted upload an hour later.
        await media.updateMany(isPending, { $set: { sweepAt: new Date(0) } });
        await untilNone(() => media.countDocuments(isPending), 'killed uploads');
        await until(() =>
          client.get('/health/ready').then(
            ({ status }) => status === 200 || null,
            () => null,
          ),
        );
        for (const url of acknowledged) expect([url, (await client.get(url)).status]).toEqual([url, 200]);
        const { output } = await runCli(host, ['media', 'audit']);
        expect(output).toMatch(/^0 faults in \d+ images and \d+ files\.$/m);
      },
    };
  },
};
