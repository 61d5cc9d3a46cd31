import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { specOf } from './dialects.js';
import { runBeside } from './hot-reads.js';
import type { Suite } from './suite.js';

const LIMIT_FAR_AWAY = { RATE_LIMIT_UPLOADS_PER_HOUR: '10000000' };
const UPLOADERS = 20;

/** Returns an image with the size and grain of a camera's. */
async function photo(): Promise<Buffer> {
  const grain = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const create = { width: 4_800, height: 3_600, channels: 3, background: '#808080', noise: grain } as const;
  return sharp({ create }).blur(0.6).jpeg({ quality: 92 }).toBuffer();
}

/** Appends other bytes to the same image, because the server would recognize a duplicate. */
function formOf(picture: Buffer): FormData {
  const form = new FormData();
  form.set('file', new Blob([picture, randomBytes(16)]), 'photo.jpg');
  return form;
}

export const UPLOADS: Suite = {
  name: 'uploads',
  title: 'Reads beside uploads',
  question: `Hot reads (open loop), alone and beside ${UPLOADERS} people who upload photos without a pause.`,
  async run(context) {
    const dataset = await context.dataset();
    const users = await dataset.users(UPLOADERS);
    const picture = await photo();
    context.progress.line(`uploads            pictures of ${(picture.length / 1e6).toFixed(1)} MB`);
    let url = '';
    const uploadUntilEnd = async (): Promise<() => Promise<void>> => {
      const ended = new AbortController();
      let made = 0;
      let refused = 0;
      const uploading = users.map(async ({ id }) => {
        const headers = { authorization: `Bearer ${context.tokenOf(id)}` };
        while (!ended.signal.aborted) {
          const answer = await fetch(`${url}/v1/media`, { method: 'POST', headers, body: formOf(picture) });
          const said = await answer.text();
          if (answer.status === 503) {
            // A slow machine cannot decode all queued images in time, so the uploader retries like a client after 503.
            refused++;
            await sleep(Number(answer.headers.get('retry-after') ?? '1') * 1_000);
            continue;
          }
          if (answer.status !== 201) throw new Error(`an upload was answered ${answer.status}: ${said.slice(0, 200)}`);
          made++;
        }
      });
      const all = Promise.all(uploading);
      all.catch(() => undefined); // The caller reports the error below.
      return async () => {
        ended.abort();
        await all;
        if (made === 0) throw new Error(`no upload was taken, ${refused} were refused`);
        const later = refused > 0 ? `, ${refused} times refused with Retry-After` : '';
        context.progress.line(`uploads            ${made} pictures${later}`);
      };
    };
    await runBeside(context, dataset, {
      suite: 'uploads',
      spec: () => specOf('product', dataset, { env: LIMIT_FAR_AWAY }),
      prepare: (running) => Promise.resolve(void (url = running.url)),
      beside: { beside: uploadUntilEnd, isCpuShared: true },
    });
  },
};
