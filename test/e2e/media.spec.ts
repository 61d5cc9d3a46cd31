import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { type Binary, ObjectId } from 'mongodb';
import sharp from 'sharp';
import { fromBuffer } from 'yauzl';
import { EXPORT_REQUESTED } from '../../src/exports/exports.events.js';
import { MediaAuditService } from '../../src/media/media-audit.service.js';
import { MediaFiles } from '../../src/media/media-files.js';
import { refsOf } from '../../src/media/media-refs.service.js';
import { UnusedMediaJob } from '../../src/media/unused-media.job.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { useApp } from '../support/app.js';
import { type TestAccount, TEST_PASSWORD } from '../support/accounts.js';
import { animation, formOf, noise, uploadPicture } from '../support/pictures.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';

const CAMERAS = join(import.meta.dirname, '../support/cameras');

/** An image host that the operator allows, and one that is not allowed. */
let served = Buffer.alloc(0);
let status = 200;
const [allowed, refused] = await Promise.all(
  [0, 1].map(async () => {
    const server = createServer((_, response) => response.writeHead(status).end(served));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/picture.jpg` };
  }),
);

const app = useApp({ env: { CLEANUP_DELAY_MS: '0', OUTGOING_ALLOWED_PRIVATE: new URL(allowed!.url).host } });
const { world } = app;
afterAll(() => [allowed, refused].forEach((host) => host!.server.close()));

const upload = (token: string, bytes: Buffer) => uploadPicture(app, token, bytes);
const never = new AbortController().signal;
const sweep = () => app.app.get(UnusedMediaJob).run(never);
const rows = () => app.db.collection('media');
const idOf = ({ id }: { id: string }): ObjectId => ObjectId.createFromHexString(id);
/** Expires the day after which the server deletes an image without references. */
const letDayPass = () => rows().updateMany({ sweepAt: { $ne: null } }, { $set: { sweepAt: new Date(Date.now() - 1) } });

async function download(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(app.url + url, { headers, method });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function faults(): Promise<string[]> {
  const found: string[] = [];
  await app.app.get(MediaAuditService).run((line) => found.push(line), never);
  return found;
}

describe('an uploaded image', () => {
  let author: TestAccount;
  beforeAll(async () => {
    author = await world.person({ overHttp: true });
  });

  it.each([
    ['a JPEG', () => noise(2_000, 1_500).jpeg().toBuffer(), 'image/jpeg', [320, 640, 1_280, 1_920]],
    ['a PNG with transparency', () => noise(700, 900, 4).png().toBuffer(), 'image/png', [320, 640]],
    ['a WebP', () => noise(640, 300).webp().toBuffer(), 'image/webp', [320, 640]],
    ['an AVIF', () => noise(330, 200).avif({ effort: 0 }).toBuffer(), 'image/webp', [320]],
    ['a GIF', () => noise(200, 100).gif({ effort: 1 }).toBuffer(), 'image/webp', []],
    ['an animation', () => animation(400, 60, 3), 'image/webp', []],
  ])('is written anew in sizes that fit: %s', async (title, make, contentType, widths) => {
    const bytes = await make();
    const { status: created, body, headers } = await upload(author.token, bytes);
    expect([created, body.contentType, body.alt]).toEqual([201, contentType, '']);
    expect(headers.get('location')).toBe(body.url);
    const { width, height, pages = 1 } = await sharp(bytes).metadata();
    expect([body.width, body.height]).toEqual([width, height]);
    expect(body.variants.map((variant: { width: number }) => variant.width)).toEqual(widths);
    const original = await download(body.url);
    expect([original.status, original.headers.get('content-type')]).toEqual([200, contentType]);
    expect(original.bytes.length).toBe(body.bytes);
    const written = await sharp(original.bytes).metadata();
    expect([written.width, written.height, written.pages ?? 1]).toEqual([width, height, pages]);
    if (title.includes('transparency')) expect(written.hasAlpha).toBe(true);
    for (const variant of body.variants) {
      const small = await sharp((await download(variant.url)).bytes).metadata();
      expect([small.format, small.width]).toEqual(['webp', variant.width]);
      expect(small.height / variant.width).toBeCloseTo(height / width, 1);
    }
    const placeholder = Buffer.from(body.placeholder.split('base64,')[1], 'base64');
    const tiny = await sharp(placeholder).metadata();
    expect(Math.max(tiny.width, tiny.height)).toBe(16);
    expect(body.placeholder.length).toBeLessThan(2_000);
  });

  it('keeps every pixel and the palette of a PNG with few colors, and does not grow', async () => {
    const colors = randomBytes(16 * 3);
    const pixels = Buffer.concat(
      Array.from(randomBytes(1_000 * 700), (byte) => colors.subarray((byte % 16) * 3, (byte % 16) * 3 + 3)),
    );
    const raw = { width: 1_000, height: 700, channels: 3 } as const;
    const bytes = await sharp(pixels, { raw }).png({ palette: true, dither: 0, quality: 100 }).toBuffer();
    const { body } = await upload(author.token, bytes);
    const file = (await download(body.url)).bytes;
    expect([body.contentType, body.bytes <= bytes.length]).toEqual(['image/png', true]);
    expect((await sharp(file).metadata()).isPalette).toBe(true);
    expect((await sharp(file).removeAlpha().raw().toBuffer()).equals(pixels)).toBe(true);
  });

  it('contains neither location nor camera in any of its files, and no profile', async () => {
    const exif = {
      IFD0: { Make: 'Camera', Copyright: 'a name' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSLongitudeRef: 'W', GPSLongitude: '0/1 7/1 0/1' },
    };
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const image = noise(700, 500)
        .withExif(exif)
        .withIccProfile('p3')
        .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
      const bytes = await image.toFormat(format).toBuffer();
      expect(Object.keys(await sharp(bytes).metadata())).toEqual(expect.arrayContaining(['exif', 'icc', 'xmp']));
      const { body } = await upload(author.token, bytes);
      for (const { url } of [body, ...body.variants]) {
        const file = (await download(url)).bytes;
        const { exif: kept, icc, xmp, iptc, comments } = await sharp(file).metadata();
        expect([url, kept, icc, xmp, iptc, comments]).toEqual([url, ...Array.from({ length: 5 }, () => undefined)]);
        // Shorter strings occur by chance in noise.
        for (const trace of ['Exif\0\0', 'Camera', 'a name', 'xmpmeta']) expect(file.includes(trace)).toBe(false);
      }
    }
  });

  it.each(readdirSync(CAMERAS).filter((name) => name.endsWith('.jpg')))(
    'of a real camera (%s) has none of it either',
    async (name) => {
      const bytes = readFileSync(join(CAMERAS, name));
      const maker = (await sharp(bytes).metadata()).exif!.toString('latin1');
      expect(maker).toMatch(/Apple|Canon|CASIO|Nokia|OLYMPUS|Panasonic|RICOH|SIGMA|SONY/);
      const { status, body } = await upload(author.token, bytes);
      expect(status).toBe(201);
      for (const { url } of [body, ...body.variants]) {
        const file = (await download(url)).bytes;
        const { exif, iptc, xmp, orientation } = await sharp(file).metadata();
        expect([url, exif, iptc, xmp, orientation]).toEqual([url, ...Array.from({ length: 4 }, () => undefined)]);
        expect(file.includes('Exif')).toBe(false);
      }
    },
  );

  it('is rotated upright', async () => {
    const [red, blue] = ['#ff0000', '#0000ff'].map((background) => ({
      create: { width: 400, height: 400, channels: 3 as const, background },
    }));
    const lying = sharp({ create: { width: 800, height: 400, channels: 3, background: '#000' } }).composite([
      { input: red!, left: 0, top: 0 },
      { input: blue!, left: 400, top: 0 },
    ]);
    // The camera was rotated, so that the left of the file is the top of the image.
    const { body } = await upload(author.token, await lying.jpeg().withMetadata({ orientation: 6 }).toBuffer());
    expect([body.width, body.height]).toEqual([400, 800]);
    for (const { url } of [body, ...body.variants]) {
      const { data, info } = await sharp((await download(url)).bytes)
        .raw()
        .toBuffer({ resolveWithObject: true });
      const top = [...data.subarray(0, 3)];
      const bottom = [...data.subarray(info.channels * info.width * (info.height - 1)).subarray(0, 3)];
      expect([url, top[0]! > 200, top[2]! < 60, bottom[0]! < 60, bottom[2]! > 200]).toEqual([
        url,
        true,
        true,
        true,
        true,
      ]);
    }
  });

  it('is the same image when the same bytes are uploaded again, also concurrently, and another one for another account', async () => {
    const other = await world.person({ overHttp: true });
    const bytes = await noise(400, 300).jpeg().toBuffer();
    const answers = await Promise.all([1, 2, 3].map(() => upload(author.token, bytes)));
    answers.push(await upload(author.token, bytes));
    expect(answers.map(({ status: answered }) => answered)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const theirs = await upload(other.token, bytes);
    expect(theirs.body.id).not.toBe(answers[0]!.body.id);
    expect(await rows().countDocuments({ ownerId: idOf(author), sha256: (await rowOf(theirs.body)).sha256 })).toBe(1);
  });

  const rowOf = async (media: { id: string }) => (await rows().findOne({ _id: idOf(media) }))!;

  it('is served as immutable under a name that cannot be guessed, in ranges too, without running scripts', async () => {
    const { body } = await upload(author.token, await noise(500, 300).png().toBuffer());
    const { status: found, headers, bytes } = await download(body.url);
    expect(found).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'content-length': String(body.bytes),
      'content-disposition': 'inline',
      'accept-ranges': 'bytes',
    });
    const etag = headers.get('etag')!;
    expect(etag).toMatch(/^"[!#-~]{1,64}"$/);
    const known = await download(body.url, { 'if-none-match': etag });
    expect([known.status, known.bytes.length, known.headers.get('cache-control')]).toEqual([
      ...[304, 0],
      'public, max-age=31536000, immutable',
    ]);
    const part = await download(body.url, { range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${body.bytes}`]);
    expect(part.bytes.equals(bytes.subarray(10, 20))).toBe(true);
    const end = await download(body.url, { range: 'bytes=-5', 'if-range': etag });
    expect([end.status, end.bytes.equals(bytes.subarray(-5))]).toEqual([206, true]);
    const changed = await download(body.url, { range: 'bytes=0-4', 'if-range': '"another"' });
    expect([changed.status, changed.bytes.length]).toEqual([200, body.bytes]);
    const beyond = await download(body.url, { range: `bytes=${body.bytes}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${body.bytes}`]);
    expect(beyond.headers.get('cache-control')).toBe('no-store');
    expect((await download(`${body.url}?utm_source=a`, {})).status).toBe(200);
    // Ranges apply to GET only.
    const head = await download(body.url, { range: 'bytes=0-4' }, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, String(body.bytes), 0]);
    for (const wrong of [body.url.replace(/-[0-9a-f]{4}/, '-0000'), body.url.replace('.png', '.jpg')])
      expect((await app.client.get(wrong)).body.code).toBe('media_not_found');
    expect((await app.client.get(`${body.url}x`)).body.code).toBe('invalid_id');
  });

  it('is listed, described and deleted by its owner, and in no read after that', async () => {
    const owner = await world.person({ overHttp: true });
    const made = [];
    for (let at = 0; at < 3; at++) made.push((await upload(owner.token, await noise(400, 200).jpeg().toBuffer())).body);
    const { token } = owner;
    const first = (await app.client.get('/v1/media/mine?limit=2', { token })).body;
    const rest = (await app.client.get(`/v1/media/mine?limit=2&cursor=${first.page.nextCursor}`, { token })).body;
    expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(made.map(({ id }) => id).reverse());
    expect(rest.page.nextCursor).toBeNull();
    const path = `/v1/media/${made[0].id}`;
    const described = await app.client.patch(path, { token, body: { alt: '  The table  ' } });
    expect([described.status, described.body]).toEqual([200, { ...made[0], alt: 'The table' }]);
    expect((await app.client.patch(path, { token, body: { alt: 'x'.repeat(301) } })).status).toBe(400);
    expect((await app.client.delete(path, { token: author.token })).body.code).toBe('media_not_found');
    expect((await app.client.delete(path, { token })).status).toBe(204);
    for (const { url } of [made[0], ...made[0].variants]) expect((await download(url)).status).toBe(404);
    expect((await app.client.delete(path, { token })).body.code).toBe('media_not_found');
    expect((await app.client.get('/v1/media/mine', { token })).body.data).toHaveLength(2);
    await sweep();
    expect(await rows().countDocuments({ _id: idOf(made[0]) })).toBe(0);
    expect(await app.db.collection('media.chunks').countDocuments({ files_id: new RegExp(`^${made[0].id}`) })).toBe(0);
  });

  it('is refused when the account is full', async () => {
    const owner = await world.person({ overHttp: true });
    await world.picture({ _id: idOf(owner) }, { bytes: 1_000_000_000 });
    const { status: answered, body } = await upload(owner.token, await noise(50, 50).png().toBuffer());
    expect([answered, body.code]).toEqual([409, 'media_quota']);
    await rows().updateMany({ ownerId: idOf(owner) }, { $set: { state: 'ending', sweepAt: new Date(0) } });
    await sweep();
  });
});

describe('an image that something names', () => {
  let owner: TestAccount;
  beforeAll(async () => {
    owner = await world.person({ overHttp: true });
  });

  type Holder = { hold: (url: string) => Promise<() => Promise<unknown>> };
  const send = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const answer = await app.client.request(method, path, { token: owner.token, body, headers });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const post = { title: 'A post', type: 'article' };
  const cover = (url: string): string => `https://api.example${url}`;
  /** Deletes a post, also from the trash. */
  const deletePost = async (id: string): Promise<void> => {
    await send('DELETE', `/v1/posts/${id}`);
    await send('DELETE', `/v1/drafts/${id}`);
  };
  const holders: Record<string, Holder['hold']> = {
    'a hidden post': async (url) => {
      const { id } = await send('POST', '/v1/posts', { ...post, content: `![x](${url})`, isPublic: false });
      return () => deletePost(id);
    },
    'a post whose later text does not': async (url) => {
      const { id } = await send('POST', '/v1/posts', { ...post, content: 'Nothing yet.' });
      await send('PATCH', `/v1/posts/${id}`, { content: `<img src="${url}">` });
      await send('PATCH', `/v1/posts/${id}`, { content: 'Nothing any more.' });
      return () => deletePost(id);
    },
    'a post by its thumbnail': async (url) => {
      const { id } = await send('POST', '/v1/posts', { ...post, content: 'Text.', thumbnailUrl: cover(url) });
      return () => deletePost(id);
    },
    'a post by its id in the text': async (url) => {
      const id = url.split('/').at(-1)!.split('-')[0];
      const created = await send('POST', '/v1/posts', { ...post, content: `![x](media:${id})` });
      return () => deletePost(created.id);
    },
    'a draft that was saved': async (url) => {
      const { id } = await send('POST', '/v1/drafts', {});
      await send('PATCH', `/v1/drafts/${id}`, { content: `![x](${url})` }, { 'if-match': '*' });
      return () => send('DELETE', `/v1/drafts/${id}`);
    },
    'a new draft': async (url) => {
      const { id } = await send('POST', '/v1/drafts', { content: `![x](${url})` });
      return () => send('DELETE', `/v1/drafts/${id}`);
    },
    'a collection': async (url) => {
      const list = { kind: 'list', title: 'A list', thumbnailUrl: cover(url) };
      const { id } = await send('POST', '/v1/collections', list);
      return () => send('DELETE', `/v1/collections/${id}`);
    },
    'a profile': async (url) => {
      await send('PATCH', '/v1/users/me', { profilePicture: cover(url) });
      return () => send('PATCH', '/v1/users/me', { profilePicture: null });
    },
  };
  const drain = () => app.app.get(TaskWorker).drain(never);

  it.each(Object.entries(holders))('stays while %s exists, and a day longer', async (_, hold) => {
    const picture = (await upload(owner.token, await noise(60, 40).png().toBuffer())).body;
    const release = await hold(picture.url);
    await drain();
    await letDayPass();
    await sweep();
    const refusal = await app.client.delete(`/v1/media/${picture.id}`, { token: owner.token });
    expectProblem(refusal, 409, 'media_in_use');
    expect((await download(picture.url)).status).toBe(200);
    expect(await faults()).toEqual([]);

    await release();
    await drain();
    await sweep();
    expect((await download(picture.url)).status).toBe(200);
    await letDayPass();
    await sweep();
    expect((await download(picture.url)).status).toBe(404);
    expect(await faults()).toEqual([]);
  });

  it('is deleted although it is in use when its owner forces it', async () => {
    const picture = (await upload(owner.token, await noise(60, 40).png().toBuffer())).body;
    await holders['a hidden post']!(picture.url);
    const answer = await app.client.delete(`/v1/media/${picture.id}?force=true`, { token: owner.token });
    expect(answer.status).toBe(204);
    await sweep();
    expect([(await download(picture.url)).status, await faults()]).toEqual([404, []]);
  });

  it('is deleted after a day when only texts of other accounts contain its URL', async () => {
    const other = await world.person({ overHttp: true });
    const picture = (await upload(other.token, await noise(60, 40).png().toBuffer())).body;
    await holders['a hidden post']!(picture.url);
    await letDayPass();
    await sweep();
    expect((await download(picture.url)).status).toBe(404);
    expect(await faults()).toEqual([]);
  });

  it('is published with its draft', async () => {
    const picture = (await upload(owner.token, await noise(60, 40).png().toBuffer())).body;
    const { id } = await send('POST', '/v1/drafts', { ...post, content: `![x](${picture.url})` });
    await send('POST', `/v1/drafts/${id}/publish`);
    await drain();
    await letDayPass();
    await sweep();
    expect((await download(picture.url)).status).toBe(200);
    expect(await faults()).toEqual([]);
  });

  it('is removed by the sweep or named by a post, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const picture = (await upload(owner.token, await noise(30, 20).png().toBuffer())).body;
      await letDayPass();
      await Promise.all([sweep(), holders['a hidden post']!(picture.url)]);
      await sweep();
      const held = await app.db.collection<{ _id: Binary }>('media_refs').countDocuments(refsOf(idOf(picture)));
      expect([held, (await download(picture.url)).status]).toEqual(held === 1 ? [1, 200] : [0, 404]);
      expect(await faults()).toEqual([]);
    }
  });
});

describe('the deletion of an account', () => {
  it('removes its images from every read immediately, and then their files', async () => {
    const owner = await world.person({ overHttp: true });
    const picture = (await upload(owner.token, await noise(60, 40).png().toBuffer())).body;
    await app.client.delete('/v1/users/me', { token: owner.token, body: { password: TEST_PASSWORD } });
    expect((await download(picture.url)).status).toBe(404);
    await app.app.get(TaskWorker).drain(never);
    await sweep();
    expect(await rows().countDocuments({ ownerId: idOf(owner) })).toBe(0);
    expect(await faults()).toEqual([]);
  });

  it('leaves no file of an image that was still being stored when the sweep was there', async () => {
    const owner = await world.person({ overHttp: true });
    const spies = app.everyOf(MediaFiles).map((files) => {
      const put = files.put.bind(files);
      return jest.spyOn(files, 'put').mockImplementation(async (...file) => {
        if ((await rows().countDocuments({ ownerId: idOf(owner) })) === 1) {
          await app.client.delete('/v1/users/me', { token: owner.token, body: { password: TEST_PASSWORD } });
          await app.app.get(TaskWorker).drain(never);
          await sweep();
        }
        return put(...file);
      });
    });
    const { status } = await upload(owner.token, await noise(60, 40).png().toBuffer());
    for (const spy of spies) spy.mockRestore();
    expect([status, await rows().countDocuments({ ownerId: idOf(owner) })]).toEqual([404, 0]);
    expect(await faults()).toEqual([]);
  });
});

describe('an export', () => {
  it('contains the images of the account with their alternative texts', async () => {
    const { token } = await world.person({ overHttp: true });
    const picture = (await upload(token, await noise(60, 40).png().toBuffer())).body;
    await app.client.patch(`/v1/media/${picture.id}`, { token, body: { alt: 'A table' } });
    const location = (await app.client.post('/v1/users/me/exports', { token })).headers.get('location')!;
    await runTasks(app, [EXPORT_REQUESTED]);
    const zip = (await download((await app.client.get(location, { token })).body.url)).bytes;
    const names = await new Promise<Map<string, number>>((resolve, reject) =>
      fromBuffer(zip, (error, opened) => {
        if (error) return reject(error);
        const found = new Map<string, number>();
        opened.on('entry', ({ fileName, uncompressedSize }) => found.set(fileName, uncompressedSize));
        opened.on('end', () => resolve(found)).on('error', reject);
      }),
    );
    expect(names.get(`pictures/${picture.url.split('/').at(-1)}`)).toBe(picture.bytes);
    expect(names.get('pictures.jsonl')).toBeGreaterThan(50);
  });
});

describe('an image from an address', () => {
  const take = (token: string, url: string) => app.patient.post('/v1/media/import', { token, body: { url } });

  it('is imported like an uploaded one, from public hosts only', async () => {
    const { token } = await world.person({ overHttp: true });
    served = await noise(700, 400).jpeg().toBuffer();
    const { status: created, body } = await take(token, allowed!.url);
    expect([created, body.width, body.variants.length]).toEqual([201, 700, 2]);
    expect((await upload(token, served)).body.id).toBe(body.id);
    const inward = await take(token, refused!.url);
    expect([inward.status, inward.body.code, inward.body.errors[0].field]).toEqual([400, 'import_failed', 'url']);
  });

  it.each<[string, () => void, number, string]>([
    ['no picture', () => (served = Buffer.from('<html>')), 415, 'unsupported_media_type'],
    ['nothing', () => (served = Buffer.alloc(0)), 400, 'invalid_image'],
    ['more than is read', () => (served = Buffer.alloc(5 * 1024 * 1024 + 1)), 400, 'import_failed'],
    ['an error', () => (status = 404), 400, 'import_failed'],
  ])('is refused where the address gives %s', async (_, prepare, expected, code) => {
    const { token } = await world.person({ overHttp: true });
    prepare();
    const { status: answered, body } = await take(token, allowed!.url);
    status = 200;
    expect([answered, body.code]).toEqual([expected, code]);
  });
});

describe('a form', () => {
  const one = { bytes: Buffer.from('x') };

  it.each<[string, ReturnType<typeof formOf>, number, string]>([
    ['without a file', formOf(), 400, 'invalid_input'],
    ['of two files', formOf(one, one), 400, 'invalid_input'],
    ['of a file under another name', formOf({ ...one, field: 'picture' }), 400, 'invalid_input'],
    ['with a field', formOf({ ...one, field: 'alt', name: '' }, one), 400, 'invalid_input'],
    ['larger than 10 MB', formOf({ bytes: Buffer.alloc(10 * 1024 * 1024 + 1) }), 413, 'body_too_large'],
    [
      'without a boundary',
      { body: Buffer.from('x'), headers: { 'content-type': 'multipart/form-data' } },
      400,
      'invalid_input',
    ],
    [
      'that is JSON',
      { body: Buffer.from('{}'), headers: { 'content-type': 'application/json' } },
      415,
      'unsupported_media_type',
    ],
  ])('%s is refused', async (_, form, expected, code) => {
    const { token } = await world.person({ overHttp: true });
    const { status: answered, body } = await app.client.post('/v1/media', { token, ...form });
    expect([answered, body.code, body.detail]).toEqual([expected, code, expect.any(String)]);
  });

  it('is refused by every other route, and by this one without a token', async () => {
    const { token } = await world.person({ overHttp: true });
    const other = await app.client.post('/v1/posts', { token, ...formOf(one) });
    expectProblem(other, 415, 'unsupported_media_type');
    expect((await app.client.post('/v1/media', formOf(one))).status).toBe(401);
  });
});
