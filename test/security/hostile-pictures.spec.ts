import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { ImageProcessor } from '../../src/media/image-processor.js';
import { useApp } from '../support/app.js';
import {
  ANIMATED_AVIF,
  ANIMATED_PNG,
  animation,
  noise,
  TINY_PNG,
  uploadOnce,
  uploadPicture,
} from '../support/pictures.js';
import { expectProblem } from '../support/problem.js';
import { until } from '../support/until.js';

const dataDir = mkdtempSync(join(tmpdir(), 'opencanvas-pictures-'));
const app = useApp({ env: { DATA_DIR: dataDir } });
const { world } = app;
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
let token: string;
beforeAll(async () => {
  token = (await world.person({ overHttp: true, role: 'user' })).token;
});

const upload = (bytes: Buffer) => uploadPicture(app, token, bytes);

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Returns a PNG that declares its size and has almost no data. */
function pngOf(width: number, height: number, pixels = Buffer.alloc(1_000)): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([TINY_PNG.subarray(0, 8), ...parts]);
}

/** Returns 970 kB that decompress to 940 MB. */
async function pngOfTexts(): Promise<Buffer> {
  const png = await noise(200, 100).png({ palette: true }).toBuffer();
  const text = deflateSync(Buffer.alloc(47_000_000, 'a'));
  const texts = Array.from({ length: 20 }, (_, at) =>
    chunk('zTXt', Buffer.concat([Buffer.from(`Comment${at}\0\0`, 'latin1'), text])),
  );
  return Buffer.concat([png.subarray(0, 33), ...texts, png.subarray(33)]);
}

describe('a hostile image file', () => {
  it.each<[string, () => Buffer | Promise<Buffer>, number, RegExp]>([
    ['a PNG of 50,000 x 50,000 pixels', () => pngOf(50_000, 50_000), 400, /16383 pixels on one side/],
    ['a PNG of 10,000 x 10,000 pixels', () => pngOf(10_000, 10_000), 400, /more than 50 million pixels/],
    ['a PNG with fewer pixels than it says', () => pngOf(1_000, 1_000), 400, /cannot be decoded/],
    [
      'the beginning of a JPEG',
      async () => (await noise(800, 600).jpeg().toBuffer()).subarray(0, 20_000),
      400,
      /decoded/,
    ],
    ['the head of a JPEG', () => Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0', 'latin1'), 400, /decoded/],
    ['an animation of 201 frames', () => animation(8, 8, 201), 400, /more than 200 frames/],
    ['an animated PNG', () => ANIMATED_PNG, 400, /animated PNG; animations can be GIF or WebP/],
    ['an animated AVIF', () => ANIMATED_AVIF, 400, /animated AVIF; animations can be GIF or WebP/],
    ['an empty file', () => Buffer.alloc(0), 400, /is empty/],
    [
      'an SVG',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      415,
      /not JPEG/,
    ],
    ['an HTML page', () => Buffer.from('<!doctype html><script>alert(1)</script>'), 415, /not JPEG/],
    ['a TIFF', () => noise(20, 20).tiff().toBuffer(), 415, /not JPEG/],
    [
      'an SVG that calls itself a GIF',
      () => Buffer.from('GIF89a<svg xmlns="http://www.w3.org/2000/svg"/>'),
      400,
      /decoded/,
    ],
    [
      'an AVIF that is none',
      () => Buffer.from('\0\0\0\x1cftypavif\0\0\0\0mif1avif\0\0\0\x08mdat', 'latin1'),
      400,
      /decoded/,
    ],
  ])('is refused: %s', async (_, make, status, detail) => {
    const answer = await upload(await make());
    expect([answer.status, answer.body.code]).toEqual([
      status,
      status === 415 ? 'unsupported_media_type' : 'invalid_image',
    ]);
    expect(answer.body.detail).toMatch(detail);
    // The detail contains no internal paths or names of libraries.
    expect(answer.body.detail).not.toMatch(/vips|[/\\]/i);
  });

  it('is served as an image only, even if it is also a page', async () => {
    const page = Buffer.from('<html><script>alert(document.domain)</script></html>');
    const jpeg = await noise(400, 300)
      .withExif({ IFD0: { ImageDescription: String(page) } })
      .jpeg()
      .toBuffer();
    const { status, body } = await upload(Buffer.concat([jpeg, page]));
    expect(status).toBe(201);
    const file = await fetch(app.url + body.url);
    expect([file.headers.get('content-type'), file.headers.get('x-content-type-options')]).toEqual([
      'image/jpeg',
      'nosniff',
    ]);
    expect(Buffer.from(await file.arrayBuffer()).includes('<script')).toBe(false);
  });

  it.each(['jpeg', 'png', 'webp', 'avif', 'gif', 'animated'] as const)(
    'is refused wherever it was cut off: %s',
    async (format) => {
      const whole =
        format === 'animated' ? await animation(60, 40, 4) : await noise(150, 100).toFormat(format).toBuffer();
      for (const left of [0.5, 0.999]) {
        const answer = await upload(whole.subarray(0, Math.floor(whole.length * left)));
        expectProblem(answer, 400, 'invalid_image');
      }
      expect((await upload(whole)).status).toBe(201);
    },
  );

  it('leaves no file on the disk', async () => {
    await upload(pngOf(10_000, 10_000));
    expect(readdirSync(join(dataDir, 'uploads'))).toEqual([]);
  });
});

describe('the process that decodes images', () => {
  it('has no secrets in its environment', async () => {
    expect((await upload(await noise(30, 30).png().toBuffer())).status).toBe(201);
    const variables = readFileSync(`/proc/${pidOfOurs()}/environ`, 'utf8').split('\0').filter(Boolean);
    const names = variables.map((variable) => variable.split('=')[0]!);
    // Node adds the channel to the parent process.
    expect(names.filter((name) => !name.startsWith('NODE_CHANNEL_')).sort()).toEqual([
      'MALLOC_ARENA_MAX',
      'PATH',
      ...(process.env.TMPDIR === undefined ? [] : ['TMPDIR']),
    ]);
  });

  it('ignores the texts of a PNG', async () => {
    const { status, body } = await upload(await pngOfTexts());
    expect([status, body.width, body.height]).toEqual([201, 200, 100]);
    const [, peakKb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pidOfOurs()}/status`, 'utf8'))!;
    expect(Number(peakKb)).toBeLessThan(300_000);
  });

  it.each([
    ['memory', { cpuMs: 10_000, memoryBytes: 100_000_000 }, /takes too much memory/],
    ['CPU', { cpuMs: 200, memoryBytes: 1e9 }, /takes too long/],
  ])('refuses a picture that takes too much %s, and takes the next one', async (_, limits, detail) => {
    const processor = app.app.get(ImageProcessor);
    const before = processor['limits'];
    processor['limits'] = limits;
    const answer = await upload(await noise(5_000, 4_000).webp({ effort: 0 }).toBuffer());
    processor['limits'] = before;
    expectProblem(answer, 400, 'invalid_image');
    expect(answer.body.detail).toMatch(detail);
    expect((await upload(await noise(30, 30).png().toBuffer())).status).toBe(201);
  });

  it('is retried once by a new process after a kill in the middle of an image', async () => {
    const { child, uploading } = await underWay();
    process.kill(child, 'SIGKILL');
    expect((await uploading).status).toBe(201);
    expect(pidOfOurs()).not.toBe(child);
  });

  it('is refused after a second kill, and the next image gets a new process', async () => {
    const { uploading } = await underWay();
    let answer: Awaited<typeof uploading> | undefined;
    void uploading.then((answered) => (answer = answered));
    while (answer === undefined) {
      const running = pidOfOurs();
      if (running !== null) process.kill(running, 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'overloaded', '5']);
    expect((await upload(await noise(30, 30).png().toBuffer())).status).toBe(201);
  });

  it('refuses the image when it ends like a crashing decoder', async () => {
    const { child, uploading } = await underWay();
    process.kill(child, 'SIGSEGV');
    // A stopped process handles SIGSEGV only after SIGCONT.
    process.kill(child, 'SIGCONT');
    const answer = await uploading;
    expectProblem(answer, 400, 'invalid_image');
    expect((await upload(await noise(30, 30).png().toBuffer())).status).toBe(201);
  });

  function pidOfOurs(): number | null {
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      try {
        const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))!;
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        if (Number(parent) === process.pid && command.includes('image.child')) return Number(name);
      } catch {
        // The process has exited by now.
      }
    }
    return null;
  }

  /** Starts an upload that the stopped child process has received. */
  async function underWay() {
    expect((await upload(await noise(30, 30).png().toBuffer())).status).toBe(201);
    const child = pidOfOurs()!;
    process.kill(child, 'SIGSTOP');
    const uploading = uploadOnce(app.client, token, await noise(900, 600).png().toBuffer());
    const asked = app.app.get(ImageProcessor)['process'];
    await until(() => (asked['waiting'] === undefined ? null : true));
    return { child, uploading };
  }
});
