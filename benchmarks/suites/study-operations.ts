import { stat } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import { transformSync } from '@swc/core';
import type { PostMarkdown } from '../../src/posts/post-body.schema.js';
import { compressBody, decompressBody } from '../../src/rendering/body-codec.js';
import type { BenchmarkContext } from '../context.js';
import { ratiosBetween, round } from '../harness/results.js';
import { measureOperations, timed } from './study.js';

type Codec = {
  subject: string;
  pack: (text: string) => Uint8Array;
  unpack: (bytes: Uint8Array, text: string) => string;
};

/** Levels of the usual middle. The product stores zstd. */
const CODECS: Codec[] = [
  { subject: 'none', pack: (text) => Buffer.from(text), unpack: (bytes) => Buffer.from(bytes).toString() },
  { subject: 'gzip', pack: (text) => gzipSync(text, { level: 6 }), unpack: (bytes) => gunzipSync(bytes).toString() },
  {
    subject: 'brotli',
    pack: (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    unpack: (bytes) => brotliDecompressSync(bytes).toString(),
  },
  {
    subject: 'product',
    pack: (text) => compressBody(text).bytes,
    unpack: (bytes, text) => decompressBody({ codec: 'zstd', rawLength: Buffer.byteLength(text), bytes }),
  },
];

/** Characters of a body. */
const BODY_SIZES = [1_000, 10_000, 100_000];

/** C: bodies packed and unpacked. A request is one body packed and unpacked. */
export async function codecs(context: BenchmarkContext): Promise<void> {
  const { product } = await context.dataset();
  const rows = await product.collection<PostMarkdown>('post_bodies').find().sort({ _id: 1 }).limit(200).toArray();
  const texts = rows.map((row) => decompressBody({ ...row, bytes: row.bytes.buffer })).join('\n\n');
  for (const size of BODY_SIZES) {
    // The texts of the dataset are shorter than the longest size.
    const text = texts.slice(0, size);
    const operations = CODECS.map(({ subject, pack, unpack }) => {
      const packed = pack(text);
      if (unpack(packed, text) !== text) throw new Error(`${subject} changed a body`);
      return {
        subject: `${subject}@c-codec-${size}`,
        run: () => unpack(pack(text), text),
        extra: { rawToStored: round(Buffer.byteLength(text) / packed.length, 3) },
      };
    });
    const results = await measureOperations(context, operations, timed(context, 0.8));
    const ours = results.find(({ subject }) => subject.startsWith('product'));
    for (const other of results)
      if (ours !== undefined && other !== ours) context.ratios.push(...ratiosBetween(ours, other));
  }
}

const CALLS = 10;
const PATH = process.execPath;

function callTenTimes(done: (error?: Error) => void, left = CALLS): void {
  if (left === 0) return done();
  stat(PATH, (error) => (error ? done(error) : callTenTimes(done, left - 1)));
}

const statLater = promisify(stat);

async function awaitTenTimes(): Promise<void> {
  for (let left = CALLS; left > 0; left--) await statLater(PATH);
}

const JAVASCRIPT = `
class Card {
  constructor(id, title, tags) { this.id = id; this.title = title; this.tags = tags; }
  text() { return this.tags.map((tag) => tag + ':' + this.title).join(); }
}
export const read = (rows) => rows.map((row) => new Card(row.id, row.title, row.tags ?? []).text()).join();
`;
const TYPESCRIPT = `
type Row = { readonly id: number; title: string; tags?: string[] };
interface HasText { text(): string }
class Card implements HasText {
  constructor(public readonly id: number, private readonly title: string, private readonly tags: string[]) {}
  text(): string { return this.tags.map((tag: string): string => tag + ':' + this.title).join(); }
}
export const read = (rows: Row[]): string => rows.map((row: Row): string => new Card(row.id, row.title, row.tags ?? []).text()).join();
`;

type Program = { read: (rows: object[]) => string };

/** D: two opinions about speed that the study tested. */
export async function myths(context: BenchmarkContext): Promise<void> {
  const load = (code: string) => import(`data:text/javascript,${encodeURIComponent(code)}`) as Promise<Program>;
  const jsc = { target: 'es2022', parser: { syntax: 'typescript' } } as const;
  const [plain, typed] = [await load(JAVASCRIPT), await load(transformSync(TYPESCRIPT, { jsc }).code)];
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, title: `Title ${id}`, tags: ['one', 'two', 'three'] }));
  const callingBack = (): Promise<void> =>
    new Promise((resolve, reject) => callTenTimes((error) => (error ? reject(error) : resolve())));
  const seconds = timed(context, 2);
  const pairs = [
    [
      { subject: 'promises@d-myths', run: awaitTenTimes },
      { subject: 'callbacks@d-myths', run: callingBack },
    ],
    [
      { subject: 'typescript@d-myths', run: () => typed.read(rows) },
      { subject: 'javascript@d-myths', run: () => plain.read(rows) },
    ],
  ];
  for (const pair of pairs) {
    const [myth, other] = await measureOperations(context, pair, seconds);
    if (myth && other) context.ratios.push(...ratiosBetween(myth, other));
  }
}
