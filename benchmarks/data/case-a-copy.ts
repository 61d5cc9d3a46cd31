import { type Db, type MongoClient, type ObjectId } from 'mongodb';
import { decompressBody } from '../../src/rendering/body-codec.js';
import { connectCaseA } from '../peers/case-a.models.js';
import type { DatasetDocument } from '../../seeds/documents/document-types.js';
import type { CardRow } from '../peers/wire.js';

type SeedMark = Pick<DatasetDocument, '_id' | 'seededAt'>;
type PostSource = CardRow & { contentEditedAt: Date; rank: Record<string, number> };
type BodySource = { _id: ObjectId; codec: string; rawLength: number; bytes: { buffer: Uint8Array } };

const BATCH_SIZE = 500;

/**
 * Copies the content into the shape of the Express case: ids, cards and counters are the product's, posts contain the bodies. The copy
 * is reused between runs, and created again after the product's data was seeded again.
 */
export async function ensureCaseACopy(
  client: MongoClient,
  mongoUri: string,
  source: string,
  copy: string,
  onProgress: (line: string) => void,
): Promise<void> {
  const from = client.db(source);
  const to = client.db(copy);
  const mark = await from.collection<SeedMark>('dataset').findOne({ _id: 'seed' });
  if (!mark) throw new Error(`The database ${source} holds no seeded dataset.`);
  const copied = await to.collection<SeedMark>('dataset').findOne({ _id: 'seed' });
  if (copied?.seededAt.getTime() === mark.seededAt.getTime()) return;

  onProgress(`copying ${source} into the shape of the Express case`);
  await to.dropDatabase();
  await copyOnServer(from, copy);
  await copyPosts(from, to, onProgress);
  const { connection, models } = await connectCaseA(mongoUri, copy);
  for (const model of Object.values(models)) await model.createIndexes();
  await connection.close();
  await to.collection<SeedMark>('dataset').insertOne(mark);
}

/** Reshapes everything but the bodies inside the server, without a round trip per row. */
async function copyOnServer(from: Db, copy: string): Promise<void> {
  const out = (coll: string) => ({ $out: { db: copy, coll } });
  const stamps = { createdAt: 1, updatedAt: 1 };
  const user = {
    username: 1,
    fullName: 1,
    bio: 1,
    profilePicture: 1,
    role: 1,
    stats: 1,
    featuredPostIds: 1,
    ...stamps,
  };
  await from
    .collection('users')
    .aggregate([{ $match: { deletedAt: null } }, { $project: user }, out('users')])
    .toArray();
  const comment = {
    postId: 1,
    parentId: 1,
    author: '$authorId',
    authorSnapshot: 1,
    content: 1,
    stats: 1,
    isEdited: 1,
    isVisible: 1,
    deletedAt: 1,
    ...stamps,
  };
  await from
    .collection('comments')
    .aggregate([{ $project: comment }, out('comments')])
    .toArray();
  const type = { $cond: [{ $eq: ['$kind', 'save'] }, 'save', '$value'] };
  const interaction = { _id: 0, userId: 1, targetId: 1, targetModel: 1, type, ...stamps };
  await from
    .collection('interactions')
    .aggregate([
      { $match: { $or: [{ kind: 'save' }, { value: { $ne: null } }] } },
      { $project: interaction },
      out('interactions'),
    ])
    .toArray();
  const follow = {
    _id: 0,
    follower: '$followerId',
    following: '$followingId',
    createdAt: '$since',
    updatedAt: '$since',
  };
  await from
    .collection('follows')
    .aggregate([{ $project: follow }, out('follows')])
    .toArray();
}

async function copyPosts(from: Db, to: Db, onProgress: (line: string) => void): Promise<void> {
  const epoch = await from.collection<{ _id: string; slot: string }>('score_epochs').findOne({ _id: 'posts' });
  const score = `hot${epoch?.slot ?? 'A'}`;
  const posts = to.collection('posts');
  const live = { deletedAt: null };
  const total = await from.collection('posts').countDocuments(live);
  let done = 0;
  let toldTenths = 0;
  let batch: PostSource[] = [];
  const flush = async () => {
    const bodies = await from
      .collection<BodySource>('post_bodies')
      .find({ _id: { $in: batch.map((post) => post._id) } })
      .toArray();
    const bodyOf = new Map(bodies.map((body) => [String(body._id), body]));
    await posts.insertMany(
      batch.map(({ authorId, rank, ...post }) => {
        const body = bodyOf.get(String(post._id));
        const content = body ? decompressBody({ ...body, bytes: body.bytes.buffer }) : '';
        return { ...post, author: authorId, content, hotScore: rank[score] };
      }),
      { ordered: false },
    );
    done += batch.length;
    batch = [];
    // A log contains every line, and ten are enough.
    const tenths = Math.floor((done / total) * 10);
    if (tenths > toldTenths) onProgress(`copied ${done} of ${total} posts`);
    toldTenths = tenths;
  };
  const projection = { version: 0, isListed: 0, deletedAt: 0 };
  const cursor = from.collection<PostSource>('posts').find(live, { projection, batchSize: BATCH_SIZE });
  for await (const post of cursor) {
    batch.push(post);
    if (batch.length >= BATCH_SIZE) await flush();
  }
  if (batch.length > 0) await flush();
}
