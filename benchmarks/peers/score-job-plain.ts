/**
 * Score job of the Express case: streams every post through the mongoose model, scores it, and sends unordered batches of 1,000 through
 * the model. `MONGODB_URI=<uri> node score-job-plain.js <database>` prints one line of JSON.
 */
import { score, scoreAgeDays } from '../../src/posts/score.js';
import { connectCaseA } from './case-a.models.js';

const BATCH_SIZE = 1_000;

const [, , database] = process.argv;
const { connection, models } = await connectCaseA(process.env.MONGODB_URI!, database!);
const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
const now = new Date();
let rows = 0;
let batch: Parameters<typeof models.Post.bulkWrite>[0][number][] = [];

const flush = async () => {
  await models.Post.bulkWrite(batch, { ordered: false });
  rows += batch.length;
  batch = [];
};

const posts = models.Post.find({ isPublic: true })
  .select('stats createdAt contentEditedAt')
  .lean()
  .cursor({ batchSize: BATCH_SIZE });
for await (const post of posts) {
  const ageDays = scoreAgeDays(post.createdAt, post.contentEditedAt ?? post.createdAt, now);
  const hotScore = score(post.stats!, ageDays);
  batch.push({ updateOne: { filter: { _id: post._id }, update: { $set: { hotScore } }, timestamps: false } });
  if (batch.length === BATCH_SIZE) await flush();
}
if (batch.length > 0) await flush();
const durationMs = performance.now() - startedAt;
const cpu = process.cpuUsage(cpuBefore);
const cpuMs = (cpu.user + cpu.system) / 1_000;
await connection.close();
process.stdout.write(`${JSON.stringify({ rows, durationMs, cpuMs })}\n`);
