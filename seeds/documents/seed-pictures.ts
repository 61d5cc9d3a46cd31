import { createHash } from 'node:crypto';
import { Binary, ObjectId } from 'mongodb';
import sharp from 'sharp';
import { EXAMPLE } from '../../src/common/examples.js';
import { FILES_PATH } from '../../src/common/own-files.js';
import { pairId } from '../../src/common/pair-id.js';
import { fileKey } from '../../src/media/file-key.js';
import { type ResponsiveImage, toResponsiveImage } from '../../src/media/responsive-image.js';
import type { Batch, CollectionName, MediaChunkDocument, MediaFileDocument } from './document-types.js';

const CHUNK_SIZE = 255 * 1024;
/** Two colors, and the placeholder that a page shows until the image has loaded. */
const GRADIENTS = [
  ['#234', '#c96', 'UklGRjYAAABXRUJQVlA4ICoAAADQAQCdASoQAAkABUB8JZgCsAEfR1gbQAD+u6yKtPCDjQPoHcwmuQ+sAAA='],
  ['#134', '#4a9', 'UklGRjIAAABXRUJQVlA4ICYAAABwAQCdASoQAAkAD8B8JagCdAGIQAD+3quj2Ol8trO1zLOb+RXUAA=='],
  ['#412', '#d56', 'UklGRjQAAABXRUJQVlA4ICgAAABwAQCdASoQAAkAD8B8JagCdAFAAAD+41No0rN8LI2ofI7frorhgAAA'],
  ['#243', '#9b5', 'UklGRjYAAABXRUJQVlA4ICoAAADQAQCdASoQAAkABUB8JagCdAEf1RlDgAD+odVC43NfYxVh2BfrVeWIAAA='],
  ['#225', '#88d', 'UklGRjYAAABXRUJQVlA4ICoAAAAwAgCdASoQAAkABUB8JagCdAEf1uvEQv3YAAD+2l0D1ocIfAkrVpKCAAA='],
  ['#431', '#da5', 'UklGRjgAAABXRUJQVlA4ICwAAACwAQCdASoQAAkABUB8JagCdADPeTRQAP673kkGbkMN3OPXG5uvf2LUSfKAAAA='],
  ['#044', '#6cc', 'UklGRjYAAABXRUJQVlA4ICoAAACQAQCdASoQAAkABUB8JagCdACyOKwA/rvp8QRNwoKbse4P69dPeAMAAAA='],
  ['#333', '#aaa', 'UklGRiwAAABXRUJQVlA4ICAAAABwAQCdASoQAAkABUB8JaQAAef04AD+u+nxBE3CgKAAAA=='],
] as const;
const [COVERS, AVATARS] = [8, 8];

type SeedPicture = {
  _id: ObjectId;
  secret: string;
  type: 'image/jpeg';
  width: number;
  height: number;
  variants: { width: number }[];
  placeholder: string;
  colors: readonly [string, string];
};

/** Images of the demo writer: the image of the examples, then covers of posts and collections, then avatars. */
const PICTURES: SeedPicture[] = [
  picture(0, EXAMPLE.mediaId, 1_280, 720, [640]),
  ...Array.from({ length: COVERS }, (_, at) => picture(at, idAt(0x20 + at), 640, 360, [320])),
  ...Array.from({ length: AVATARS }, (_, at) => picture(at, idAt(0x30 + at), 160, 160, [])),
];

const FILES = PICTURES.reduce((sum, { variants }) => sum + 1 + variants.length, 0);
export const PICTURE_COUNTS = {
  media: PICTURES.length,
  media_refs: PICTURES.length,
  'media.files': FILES,
  'media.chunks': FILES,
} satisfies Partial<Record<CollectionName, number>>;

/** Path of the example's small file. */
export const EXAMPLE_PATH = `${FILES_PATH}/${fileKey(PICTURES[0]!._id, EXAMPLE.mediaSecret, 'image/jpeg', 640)}`;

export function coverOf(row: number): ResponsiveImage {
  return toResponsiveImage(PICTURES[1 + (row % COVERS)]!);
}

export function avatarOf(user: number): string {
  return pathOf(toResponsiveImage(PICTURES[1 + COVERS + (user % AVATARS)]!));
}

export function pathOf({ key }: ResponsiveImage): string {
  return `${FILES_PATH}/${key}`;
}

/** @param holderId holder of the references */
export async function* pictureBatches(ownerId: ObjectId, holderId: ObjectId, createdAt: Date): AsyncGenerator<Batch> {
  const files: MediaFileDocument[] = [];
  const chunks: MediaChunkDocument[] = [];
  const add = (key: string, data: Buffer): number => {
    files.push({ _id: key, length: data.length, chunkSize: CHUNK_SIZE, uploadDate: createdAt, filename: key });
    chunks.push({ _id: idOf(0x40 + chunks.length), files_id: key, n: 0, data: new Binary(data) });
    return data.length;
  };
  for (const { colors, ...row } of PICTURES) {
    const { _id, secret, type } = row;
    const original = await gradient(row.width, row.height, colors);
    const variants: { width: number; bytes: number }[] = [];
    for (const { width } of row.variants) {
      const small = await sharp(original).resize(width).webp({ quality: 60 }).toBuffer();
      variants.push({ width, bytes: add(fileKey(_id, secret, type, width), small) });
    }
    const sha256 = new Binary(createHash('sha256').update(original).digest());
    const about = {
      state: 'ready' as const,
      bytes: add(fileKey(_id, secret, type, null), original),
      alt: 'A gradient',
    };
    yield {
      collection: 'media',
      documents: [{ ...row, ownerId, sha256, ...about, variants, createdAt, sweepAt: null }],
    };
  }
  yield { collection: 'media_refs', documents: PICTURES.map(({ _id }) => ({ _id: pairId(_id, holderId), holderId })) };
  yield { collection: 'media.files', documents: files };
  yield { collection: 'media.chunks', documents: chunks };
}

function idAt(number: number): string {
  return EXAMPLE.mediaId.slice(0, -2) + number.toString(16);
}

function idOf(number: number): ObjectId {
  return ObjectId.createFromHexString(idAt(number));
}

function picture(at: number, id: string, width: number, height: number, widths: number[]): SeedPicture {
  const [from, to, webp] = GRADIENTS[at % GRADIENTS.length]!;
  return {
    _id: ObjectId.createFromHexString(id),
    secret: EXAMPLE.mediaSecret,
    type: 'image/jpeg',
    ...{ width, height },
    variants: widths.map((each) => ({ width: each })),
    placeholder: `data:image/webp;base64,${webp}`,
    colors: [from, to],
  };
}

function gradient(width: number, height: number, [from, to]: readonly [string, string]): Promise<Buffer> {
  const stops = `<stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/>`;
  const fill = `<linearGradient id="g" x2="1" y2="1">${stops}</linearGradient>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${fill}<rect width="100%" height="100%" fill="url(#g)"/></svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 60 }).toBuffer();
}
