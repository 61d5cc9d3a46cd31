import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3MediaFiles } from '../../src/media/s3-media-files.js';
import { startApp } from '../support/app.js';
import { signUp } from '../support/accounts.js';
import { describeWith } from '../support/optional.js';
import { noise, uploadPicture } from '../support/pictures.js';
import { freePorts } from '../support/server-process.js';
import { until } from '../support/until.js';

describeWith('moto_server', 'images in a bucket', (moto) => {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-s3-'));
  const path = join(directory, 'file');
  const bucket = 'pictures';
  let server: ChildProcess;
  let endpoint: string;

  beforeAll(async () => {
    const [port] = (await freePorts(1)) as [number];
    server = spawn(moto, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
    endpoint = `http://127.0.0.1:${port}`;
    await until(() =>
      fetch(endpoint).then(
        ({ status }) => status,
        () => null,
      ),
    );
    await fetch(`${endpoint}/${bucket}`, { method: 'PUT' });
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true });
  });

  const optionsAt = (url: string) => {
    const keys = { accessKeyId: 'id', secretAccessKey: 'secret' };
    return { endpoint: url, bucket, region: 'us-east-1', ...keys };
  };
  const filesAt = (url: string, timeoutMs?: number) => new S3MediaFiles(optionsAt(url), timeoutMs);
  const listed = async (files: S3MediaFiles): Promise<string[]> => {
    const keys: string[] = [];
    for await (const key of files.keys()) keys.push(key);
    return keys;
  };

  it('are written, read in ranges, listed and deleted', async () => {
    const files = filesAt(endpoint);
    const bytes = Buffer.from('0123456789'.repeat(100_000));
    writeFileSync(path, bytes);
    await files.put('a-1.webp', path, 'image/webp');
    await files.put('a-1.webp', path, 'image/webp');
    await files.put('b-1.webp', path, 'image/webp');
    expect((await buffer(await files.open('a-1.webp', {}))).equals(bytes)).toBe(true);
    expect(String(await buffer(await files.open('a-1.webp', { start: 7, end: 12 })))).toBe('78901');
    expect([await files.findLength('a-1.webp'), await files.findLength('c')]).toEqual([1_000_000, null]);
    expect(await listed(files)).toEqual(['a-1.webp', 'b-1.webp']);
    for (const key of ['a-1.webp', 'a-1.webp', 'b-1.webp']) await files.delete(key);
    expect(await listed(files)).toEqual([]);
    await expect(files.open('a-1.webp', {})).rejects.toThrow(/404/);
  });

  it('are written again when the service is busy, or breaks in the middle', async () => {
    let refusals = 0;
    // A proxy between the server and the service.
    const proxy = createServer((incoming, outgoing) => {
      if (refusals < 2) {
        refusals++;
        if (refusals === 1) return void incoming.resume().once('end', () => outgoing.writeHead(503).end('SlowDown'));
        return void incoming.once('data', () => incoming.socket.destroy());
      }
      const { method, url, headers } = incoming;
      incoming.pipe(
        request(endpoint + url!, { method, headers }, (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(outgoing);
        }),
      );
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    try {
      const files = filesAt(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
      writeFileSync(path, Buffer.alloc(3_000_000, 1));
      await files.put('half.webp', path, 'image/webp');
      expect([refusals, await files.findLength('half.webp')]).toEqual([2, 3_000_000]);
      await files.delete('half.webp');
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('are read to their end by a client that pauses for longer than the timeout of the service', async () => {
    const bytes = Buffer.alloc(20_000_000, 7);
    writeFileSync(path, bytes);
    const files = filesAt(endpoint, 500);
    await files.put('long.webp', path, 'image/webp');
    const answer = await files.open('long.webp', {});
    await once(answer, 'readable');
    await sleep(1_500);
    expect((await buffer(answer)).equals(bytes)).toBe(true);
    await files.delete('long.webp');
    // A silent service times out.
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = silent.address() as AddressInfo;
      await expect(filesAt(`http://127.0.0.1:${port}`, 200).findLength('a')).rejects.toMatchObject({
        code: 'media_unavailable',
      });
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  it('get 503 with Retry-After while the service is down, and are probed', async () => {
    const dead = `http://127.0.0.1:${(await freePorts(1))[0]}`;
    const s3 = { MEDIA_S3_ENDPOINT: dead, MEDIA_S3_BUCKET: bucket };
    const app = await startApp({ env: { ...s3, MEDIA_S3_ACCESS_KEY_ID: 'id', MEDIA_S3_SECRET_ACCESS_KEY: 'secret' } });
    try {
      const { token } = await signUp(app.client);
      const { status, headers, body } = await uploadPicture(app, token, await noise(40, 30).jpeg().toBuffer());
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'media_unavailable', '5']);
      const ready = async () => {
        const { body } = await app.client.get('/health/ready');
        return body.details?.dependencies.s3;
      };
      expect(await until(ready)).toBe('down');
      const metrics = await (await fetch(`${app.ownUrl}/metrics`)).text();
      expect(metrics).toContain('opencanvas_dependency_up{name="s3"} 0');
    } finally {
      await app.close();
    }
    await expect(filesAt(endpoint).probe()).resolves.toBeUndefined();
    await expect(new S3MediaFiles({ ...optionsAt(endpoint), bucket: 'unknown' }).probe()).rejects.toThrow('404');
  });

  it('are served from there', async () => {
    const s3 = { MEDIA_S3_ENDPOINT: endpoint, MEDIA_S3_BUCKET: bucket };
    const app = await startApp({ env: { ...s3, MEDIA_S3_ACCESS_KEY_ID: 'id', MEDIA_S3_SECRET_ACCESS_KEY: 'secret' } });
    try {
      const { token } = await signUp(app.client);
      const { status, body } = await uploadPicture(app, token, await noise(400, 300).jpeg().toBuffer());
      expect(status).toBe(201);
      expect(await app.db.collection('media.files').countDocuments()).toBe(0);
      expect(await listed(filesAt(endpoint))).toHaveLength(2);
      const part = await fetch(app.url + body.url, { headers: { range: 'bytes=0-2' } });
      expect([part.status, Buffer.from(await part.arrayBuffer()).toString('hex')]).toEqual([206, 'ffd8ff']);
    } finally {
      await app.close();
    }
  });
});
