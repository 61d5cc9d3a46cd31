// The program of the process that decodes and re-encodes images (ImageProcessor). A crash of a decoder ends this process, not the
// server.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { setLowestPriority } from '../platform/processes/lowest-priority.js';
import type { FileType } from './file-key.js';
import type { ProcessedImage, ImageResult, ImageFile, ImageJob } from './image-job.js';
import { HEAD_BYTES, imageTypeOf } from './image-type.js';
import { animated, Refusal, requireWholeGif, trimPng } from './source-bytes.js';

/** maximum for all frames together */
const MAX_PIXELS = 50_000_000;
const MAX_FRAMES = 200;
/** limit of WebP */
const MAX_SIDE = 16_383;
const WATCH_MS = 50;
const WIDTHS = [320, 640, 1_280, 1_920];
const PLACEHOLDER_SIDE = 16;

/** accepted loaders of libvips, from files only */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map((name) => `VipsForeignLoad${name}File`);
/** Optimized Huffman tables would make a JPEG 5 % smaller, but need the whole image in memory. */
const AS_JPEG = { quality: 85, optimizeCoding: false };
/** PNG files stay lossless. Types without an encoder here become WebP. */
const FORMS: Record<string, { type: FileType; encode: (image: Sharp) => Sharp }> = {
  jpeg: { type: 'image/jpeg', encode: (image) => image.jpeg(AS_JPEG) },
  png: { type: 'image/png', encode: (image) => image.png() },
  /** Has at most 256 colors. Without a palette, the file would grow. */
  palette: { type: 'image/png', encode: (image) => image.png({ palette: true, quality: 100, dither: 0 }) },
};
const AS_WEBP = { type: 'image/webp', encode: (image: Sharp) => image.webp({ quality: 85 }) } as const;
const NO_SPACE = /no space left|quota exceeded/i;

/** Images may take long, but reads must not. With nice 10, reads during uploads take several times as long. */
const SESSION_NICE = 19;
if (process.argv.includes('--low-priority')) setLowestPriority(SESSION_NICE);
try {
  // If memory is short, the kernel kills this process first.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Only Linux has this file.
}
sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });

process.on('message', (job: ImageJob) => void run(job));
// The server has exited.
process.on('disconnect', () => process.exit(0));

async function run(job: ImageJob): Promise<void> {
  const { cpuMs, memoryBytes } = job.limits;
  const usageAtStart = process.cpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(usageAtStart);
    const isLarge = process.memoryUsage.rss() > memoryBytes;
    if (!isLarge && (user + system) / 1_000 < cpuMs) return;
    clearInterval(watch);
    const refusal = isLarge ? 'takes too much memory to decode' : 'takes too long to decode';
    // Only SIGKILL stops libvips, because `exit` would wait for its threads.
    process.send!({ refusal } satisfies ImageResult, () => process.kill(process.pid, 'SIGKILL'));
  }, WATCH_MS);
  let result: ImageResult;
  try {
    result = { image: await processImage(job) };
  } catch (error) {
    const { message } = error as Error;
    if (NO_SPACE.test(message)) result = { problem: message };
    // Messages of libvips contain internal paths and URLs.
    else result = { refusal: error instanceof Refusal ? message : 'cannot be decoded' };
  }
  clearInterval(watch);
  process.send!(result);
}

async function processImage({ source, directory }: ImageJob): Promise<ProcessedImage> {
  prepare(source);
  const { format, isAnimated } = await inspect(source);
  const open = (): Sharp => {
    const image = sharp(source, { animated: isAnimated, limitInputPixels: MAX_PIXELS, failOn: 'error' });
    // libvips does not rotate animations, and cameras create none.
    return isAnimated ? image : image.autoOrient();
  };
  const write = async (image: Sharp, name: string, type: FileType): Promise<ImageFile> => {
    const { width, height, pageHeight = height, size } = await image.toFile(join(directory, name));
    return { name, width, height: pageHeight, bytes: size, type };
  };
  const { type, encode } = (isAnimated ? undefined : FORMS[format]) ?? AS_WEBP;
  const original = await write(encode(open()), 'original', type);
  // Animations have one size, because each further size would take as long as the first.
  const widths = isAnimated ? [] : WIDTHS.filter((width) => width <= original.width);
  // Decodes once more, and makes the smaller sizes from the largest.
  const largest = widths.length === 0 ? undefined : await rawOf(open(), widths.at(-1)!);
  const basis = largest ?? ((): Sharp => sharp(join(directory, 'original')));
  const variants: ImageFile[] = [];
  for (const width of widths)
    variants.push(await write(basis().resize({ width }).webp({ quality: 80, effort: 3 }), String(width), 'image/webp'));
  const side = { width: PLACEHOLDER_SIDE, height: PLACEHOLDER_SIDE, fit: 'inside' } as const;
  const tiny = await basis().resize(side).webp({ quality: 40 }).toBuffer();
  return { original, variants, placeholder: `data:image/webp;base64,${tiny.toString('base64')}` };
}

/** Rejects files that are incomplete, or animated in an unsupported type. Removes parts that the decoder must not see. @throws Refusal */
function prepare(source: string): void {
  const bytes = readFileSync(source);
  const type = imageTypeOf(bytes.subarray(0, HEAD_BYTES));
  if (type === 'gif') requireWholeGif(bytes);
  if (type === 'avif' && bytes.toString('latin1', 8, 12) === 'avis') throw new Refusal(animated('AVIF'));
  if (type === 'png') writeFileSync(source, trimPng(bytes));
}

/** Reads the header only, so that no image is decoded before its size is checked. */
async function inspect(source: string): Promise<{ format: string; isAnimated: boolean }> {
  const { format, width, height, pages = 1, isPalette } = await sharp(source, { limitInputPixels: false }).metadata();
  if (pages > MAX_FRAMES) throw new Refusal(`has more than ${MAX_FRAMES} frames`);
  if (Math.max(width, height) > MAX_SIDE) throw new Refusal(`is larger than ${MAX_SIDE} pixels on one side`);
  const frames = format === 'gif' || format === 'webp' ? pages : 1;
  if (width * height * frames > MAX_PIXELS)
    throw new Refusal(`has more than ${MAX_PIXELS / 1_000_000} million pixels, all its frames counted`);
  return { format: format === 'png' && isPalette ? 'palette' : format, isAnimated: frames > 1 };
}

async function rawOf(image: Sharp, width: number): Promise<() => Sharp> {
  const { data, info } = await image.resize({ width }).raw().toBuffer({ resolveWithObject: true });
  const { channels, height } = info;
  return () => sharp(data, { raw: { width: info.width, height, channels } });
}
