import { createHash } from 'node:crypto';
import { Binary, ObjectId } from 'mongodb';
import sharp from 'sharp';
import { EXAMPLE } from '../../src/common/examples.js';
import { pairId } from '../../src/common/pair-id.js';
import { hashOfSecret } from '../../src/common/secret-hash.js';
import { fileKey } from '../../src/media/file-key.js';
import { compressBody } from '../../src/posts/body/body-codec.js';
import { type RevisionRow, revisionId } from '../../src/posts/revisions/revision.schema.js';
import { findExampleCollection } from '../plan/collections-plan.js';
import { findExampleComment } from '../plan/comments-plan.js';
import { EXAMPLE_VERSION } from '../plan/posts-plan.js';
import type { Plan } from '../plan/plan.js';
import type { Batch, CollectionName } from './document-types.js';
import { EXAMPLE_POST, exampleText } from './example-texts.js';
import type { SeedIds } from './seed-ids.js';

const [WIDTH, HEIGHT, SMALL] = [1_280, 720, 640];
/** Links of the demo data do not expire. */
const NEVER = new Date('2099-12-31T00:00:00Z');
const CHUNK_SIZE = 255 * 1024;

const idOf = (hex: string): ObjectId => ObjectId.createFromHexString(hex);

/** Rows that there are at every size, on top of it. */
export const EXAMPLE_COUNTS = {
  revisions: 2 * (EXAMPLE_VERSION - 1),
  drafts: 1,
  media: 1,
  media_refs: 1,
  'media.files': 2,
  'media.chunks': 2,
  exports: 1,
} satisfies Partial<Record<CollectionName, number>>;

/** The ids of rows that the examples of the document name. */
export function exampleIds({ posts, comments, collections }: Plan): ConstructorParameters<typeof SeedIds>[1] {
  return {
    user: new Map(EXAMPLE.userIds.map((id, row) => [row, idOf(id)])),
    post: new Map([[posts.example, idOf(EXAMPLE.postId)]]),
    comment: new Map([[findExampleComment(comments, posts.example), idOf(EXAMPLE.commentId)]]),
    collection: new Map([[findExampleCollection(collections), idOf(EXAMPLE.collectionId)]]),
  };
}

/** What the demo writer has beside the rows of every account: earlier versions, a draft, a picture, an export. */
export async function* exampleBatches({ posts }: Plan): AsyncGenerator<Batch> {
  const ownerId = idOf(EXAMPLE.userIds[0]);
  const createdAt = new Date(posts.createdAt[posts.example]! * 1000);
  const draftId = idOf(EXAMPLE.draftId);
  const mediaId = idOf(EXAMPLE.mediaId);
  const revisions = [idOf(EXAMPLE.postId), draftId].flatMap((holder) =>
    Array.from({ length: EXAMPLE_VERSION - 1 }, (_, at): RevisionRow => {
      return { _id: revisionId(holder, at + 1), ...storedText(exampleText(at + 1)), savedAt: createdAt };
    }),
  );
  yield { collection: 'revisions', documents: revisions };

  const pictures = await makePictures();
  const files = [...pictures].map(([width, bytes]) => {
    const key = fileKey(mediaId, EXAMPLE.mediaSecret, 'image/jpeg', width);
    return { key, bytes };
  });
  const content = `${exampleText(EXAMPLE_VERSION)}\n\n![A gradient](/v1/media/files/${files[1]!.key})`;
  const draft = { version: EXAMPLE_VERSION, state: 'open' as const, publishAt: null, failure: null };
  const share = { keyHash: hashOfSecret(EXAMPLE.draftKey), expiresAt: NEVER };
  const times = { createdAt, updatedAt: createdAt };
  yield {
    collection: 'drafts',
    documents: [{ _id: draftId, authorId: ownerId, postId: null, ...storedText(content), ...draft, share, ...times }],
  };

  const [original, small] = [pictures.get(null)!, pictures.get(SMALL)!];
  const placeholder = await sharp(small).resize(16).webp({ quality: 20 }).toBuffer();
  yield {
    collection: 'media',
    documents: [
      {
        _id: mediaId,
        ownerId,
        sha256: new Binary(createHash('sha256').update(original).digest()),
        secret: EXAMPLE.mediaSecret,
        state: 'ready',
        type: 'image/jpeg',
        ...{ width: WIDTH, height: HEIGHT, bytes: original.length },
        variants: [{ width: SMALL, bytes: small.length }],
        placeholder: `data:image/webp;base64,${placeholder.toString('base64')}`,
        alt: 'A gradient',
        createdAt,
        sweepAt: null,
      },
    ],
  };
  yield { collection: 'media_refs', documents: [{ _id: pairId(mediaId, draftId), holderId: draftId }] };
  yield {
    collection: 'media.files',
    documents: files.map(({ key, bytes }) => {
      return { _id: key, length: bytes.length, chunkSize: CHUNK_SIZE, uploadDate: createdAt, filename: key };
    }),
  };
  yield {
    collection: 'media.chunks',
    documents: files.map(({ key, bytes }, n) => {
      return { _id: new ObjectId(`${EXAMPLE.mediaId.slice(0, -1)}${n}`), files_id: key, n: 0, data: new Binary(bytes) };
    }),
  };

  // the server makes its file when it starts
  const waiting = { state: 'waiting' as const, attempts: 0, bytes: null };
  const day = createdAt.toISOString().slice(0, 10);
  yield {
    collection: 'exports',
    documents: [{ _id: idOf(EXAMPLE.exportId), userId: ownerId, day, ...waiting, createdAt, expiresAt: NEVER }],
  };
}

function storedText(markdown: string): Omit<RevisionRow, '_id' | 'savedAt'> {
  const { codec, rawLength, bytes } = compressBody(markdown);
  const { title, tags } = EXAMPLE_POST;
  const about = { title, type: 'article' as const, tags, thumbnailUrl: null };
  return { ...about, codec: codec, rawLength, bytes: new Binary(bytes) };
}

/** By width; null: the picture itself. */
async function makePictures(): Promise<Map<number | null, Buffer>> {
  const gradient = `<linearGradient id="g"><stop stop-color="#234"/><stop offset="1" stop-color="#c96"/></linearGradient>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${gradient}<rect width="100%" height="100%" fill="url(#g)"/></svg>`;
  const original = await sharp(Buffer.from(svg)).jpeg({ quality: 60 }).toBuffer();
  return new Map([
    [null, original],
    [SMALL, await sharp(original).resize(SMALL).webp({ quality: 60 }).toBuffer()],
  ]);
}
