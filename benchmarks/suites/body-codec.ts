import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import { compressBody, decompressBody } from '../../src/rendering/body-codec.js';
import type { PostBodyRow } from '../../src/posts/post-row.js';
import type { BenchmarkContext } from '../context.js';
import { ratiosBetween, type Result, round } from '../harness/results.js';
import { median, spreadOf } from '../harness/statistics.js';
import type { Suite } from './suite.js';

type Codec = {
  subject: string;
  pack: (text: string) => Uint8Array;
  unpack: (bytes: Uint8Array, text: string) => string;
};
type Rate = { bodies: number; packMicros: number; unpackMicros: number; seconds: number };

const BODIES = 2_000;
const MIB = 2 ** 20;

const CODECS: Codec[] = [
  {
    subject: 'product',
    pack: (text) => compressBody(text).bytes,
    unpack: (bytes, text) => decompressBody({ codec: 'zstd', rawLength: Buffer.byteLength(text), bytes }),
  },
  {
    subject: 'gzip',
    pack: (text) => gzipSync(text, { level: 6 }),
    unpack: (bytes) => gunzipSync(bytes).toString(),
  },
  {
    subject: 'brotli',
    pack: (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    unpack: (bytes) => brotliDecompressSync(bytes).toString(),
  },
];

/** CPU of this process for packing and unpacking every text, as often as fits. */
function measure({ pack, unpack }: Codec, texts: string[], seconds: number): Rate {
  const rate: Rate = { bodies: 0, packMicros: 0, unpackMicros: 0, seconds: 0 };
  const startedAt = performance.now();
  while (performance.now() - startedAt < seconds * 1_000) {
    const before = process.cpuUsage();
    const packed = texts.map(pack);
    const between = process.cpuUsage();
    const unpacked = packed.map((bytes, at) => unpack(bytes, texts[at]!));
    const after = process.cpuUsage();
    if (unpacked.some((text, at) => text !== texts[at])) throw new Error('a body came back changed');
    rate.bodies += texts.length;
    rate.packMicros += between.user + between.system - before.user - before.system;
    rate.unpackMicros += after.user + after.system - between.user - between.system;
  }
  return { ...rate, seconds: (performance.now() - startedAt) / 1_000 };
}

function resultOf(codec: Codec, texts: string[], rates: Rate[]): Result {
  const raw = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const stored = texts.reduce((sum, text) => sum + codec.pack(text).length, 0);
  const pack = rates.map(({ packMicros, bodies }) => packMicros / bodies);
  const unpackMicros = median(rates.map((rate) => rate.unpackMicros / rate.bodies));
  const packMicros = median(pack);
  const meanMiB = raw / texts.length / MIB;
  const perSecond = round(1e6 / packMicros, 0);
  const none = { connections: null, pipelining: null, mongodCpuMicrosPerRequest: 0, errors: 0, timeouts: 0, non2xx: 0 };
  return {
    ...none,
    suite: BODY_CODEC.name,
    subject: codec.subject,
    seconds: round(
      rates.reduce((sum, { seconds }) => sum + seconds, 0),
      1,
    ),
    runs: rates.length,
    requests: rates.reduce((sum, { bodies }) => sum + bodies, 0),
    requestsPerSecond: perSecond,
    succeededPerSecond: perSecond,
    cpuMicrosPerRequest: round(packMicros, 1),
    latencyMs: { mean: 0, p50: 0, p95: 0, p99: 0, max: 0 },
    bytesPerResponse: Math.round(stored / texts.length),
    rssMiB: null,
    spread: { requestsPerSecond: 0, cpuMicrosPerRequest: round(spreadOf(pack), 3) },
    generatorCpuShare: 0,
    extra: {
      rawToStored: round(raw / stored, 3),
      packMiBPerSecond: round((meanMiB * 1e6) / packMicros, 0),
      unpackMiBPerSecond: round((meanMiB * 1e6) / unpackMicros, 0),
      unpackMicros: round(unpackMicros, 1),
    },
  };
}

async function run(context: BenchmarkContext): Promise<void> {
  const { product } = await context.dataset();
  const rows = await product.collection<PostBodyRow>('post_bodies').find().sort({ _id: 1 }).limit(BODIES).toArray();
  const texts = rows.map((row) => decompressBody({ ...row, bytes: row.bytes.buffer }));
  const codecs = CODECS.filter(({ subject }) => context.wantsSubject(subject));
  for (const codec of codecs) measure(codec, texts, context.options.warmupSeconds);
  const rates = new Map<Codec, Rate[]>(codecs.map((codec) => [codec, []]));
  for (let at = 0; at < context.options.runs; at++)
    for (const codec of codecs) rates.get(codec)!.push(measure(codec, texts, context.options.seconds));
  const results = codecs.map((codec) => resultOf(codec, texts, rates.get(codec)!));
  for (const result of results) context.add(result);
  const ours = results.find(({ subject }) => subject === 'product');
  for (const other of results) {
    if (ours === undefined || other === ours) continue;
    const pair = { suite: BODY_CODEC.name, subject: ours.subject, against: other.subject };
    context.ratios.push(...ratiosBetween(ours, other));
    for (const metric of ['rawToStored', 'unpackMicros'])
      context.ratios.push({ ...pair, metric, value: round(ours.extra![metric]! / other.extra![metric]!, 4) });
  }
}

export const BODY_CODEC: Suite = {
  name: 'body-codec',
  title: 'How bodies are stored',
  question:
    'The bodies of the dataset packed and unpacked as the product stores them (zstd, level 4), and with gzip and brotli: a request is one body packed.',
  run,
};
