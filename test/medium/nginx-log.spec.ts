import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Nginx } from '../support/nginx.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';

const KEY = '3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s';

describeWith('nginx', 'the access log of nginx', (binary) => {
  it('contains paths and request ids, but neither queries nor keys', async () => {
    const upstream = createServer((_, response) => response.end('{}'));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const nginx = new Nginx(binary, `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
    try {
      await nginx.start();
      const paths = [`/v1/shared-drafts/${KEY}`, `/v1/users/me/exports/6650c3a2f1d2b3c4d5e6f70c/file?signature=${KEY}`];
      for (const path of paths) await fetch(nginx.url + path, { headers: { 'x-request-id': 'seen-1' } });
      const lines = await until(() => {
        const log = readFileSync(nginx.accessLog, 'utf8').trim().split('\n');
        const found = log.filter((line) => line.endsWith(' seen-1'));
        return found.length >= paths.length ? found : null;
      });
      expect(lines.join('\n')).not.toContain(KEY);
      expect(lines[0]).toMatch(/"GET \/v1\/shared-drafts\/-" 200 2 .* seen-1$/);
      expect(lines[1]).toMatch(/"GET \/v1\/users\/me\/exports\/6650c3a2f1d2b3c4d5e6f70c\/file" 200 2 /);
    } finally {
      await nginx.remove();
      upstream.closeAllConnections();
      upstream.close();
    }
  });
});
