import { randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { CodedError } from '../../src/common/errors.js';
import type { DraftCardDto } from '../../src/drafts/draft-view.js';
import { DraftsService } from '../../src/drafts/drafts.service.js';
import { MAX_CONTENT } from '../../src/posts/post-rules.js';
import { useApp } from '../support/app.js';
import { askedAgain } from '../support/repeated-requests.js';
import type { Person } from '../support/world.js';

const EDITORS = 100;

describe('saves of very long texts at the same moment', () => {
  const app = useApp();
  const { world } = app;
  let people: Person[];
  let ids: ObjectId[];

  beforeAll(async () => {
    people = await world.people(EDITORS);
    const begun = people.map((person) => app.app.get(DraftsService).create(person, {}));
    ids = (await Promise.all(begun)).map(({ id }) => ObjectId.createFromHexString(id));
  });

  it('are all stored, with the replaced texts, although they do not fit into one message', async () => {
    const drafts = app.app.get(DraftsService);
    for (const version of [2, 3]) {
      const content = unpackable();
      const save = (id: ObjectId, at: number) =>
        drafts.save(id, people[at]!, { content }, '*').catch((error: CodedError) => error);
      // On a busy machine some saves exceed their 8 s.
      const isRefused = (answer: unknown): boolean => answer instanceof CodedError && answer.code === 'overloaded';
      const saves = ids.map((id, at) => askedAgain(() => save(id, at), isRefused, 240_000));
      const versions = (await Promise.all(saves)).map((saved) => (saved as DraftCardDto).version);
      expect(versions).toEqual(Array.from({ length: EDITORS }, () => version));
    }
    const size = { $sum: { $binarySize: '$bytes' } };
    const [held] = await app.db
      .collection('drafts')
      .aggregate([{ $group: { _id: null, size } }])
      .toArray();
    expect(held!.size).toBeGreaterThan(48_000_000);
    const kept = await app.db.collection('revisions').countDocuments({ rawLength: { $gt: 0 } });
    expect(kept).toBe(EDITORS);
  });
});

/** Returns the longest content, of random characters outside the basic plane: about half a megabyte after compression. */
function unpackable(): string {
  const random = randomBytes(3 * MAX_CONTENT);
  const points = Array.from({ length: MAX_CONTENT }, (_, at) => 0x10000 + (random.readUIntBE(3 * at, 3) % 0x100000));
  let text = '';
  for (let at = 0; at < points.length; at += 10_000) text += String.fromCodePoint(...points.slice(at, at + 10_000));
  return text;
}
