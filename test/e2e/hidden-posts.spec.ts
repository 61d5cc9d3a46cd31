import { ObjectId } from 'mongodb';
import { interactionId } from '../../src/interactions/interaction-id.js';
import type { Interaction } from '../../src/interactions/interaction.schema.js';
import { MAX_HIDDEN } from '../../src/interactions/hidden-posts.service.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { drainTasks } from '../support/verbs.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
const { world } = app;

const put = (by: Person, id: string) => app.client.put(`/v1/posts/${id}/hide`, { token: by.token });
const listOf = async ({ token }: Person): Promise<string[]> =>
  (await app.client.get('/v1/users/me/hidden', { token })).body.data.map(({ id }: { id: string }) => id);
const rows = () => app.db.collection<Interaction>('interactions');

describe('PUT and DELETE /v1/posts/:id/hide', () => {
  it('is idempotent, listed latest first for the account alone, and changes no count', async () => {
    const [author, reader] = await world.people(2);
    const [first, second] = [await world.post({ by: author }), await world.post({ by: author })];
    const before = (await app.client.get(`/v1/posts/${first.id}`)).body.stats;

    for (const id of [first.id, second.id, first.id])
      expect((await put(reader, id)).body).toEqual({ postId: id, isHidden: true });

    expect([await listOf(reader), await listOf(author)]).toEqual([[second.id, first.id], []]);
    expect((await app.client.get(`/v1/posts/${first.id}`, { token: reader.token })).body.stats).toEqual(before);
    for (let times = 0; times < 2; times++) {
      const answer = await app.client.delete(`/v1/posts/${first.id}/hide`, { token: reader.token });
      expect(answer.body).toEqual({ postId: first.id, isHidden: false });
    }
    expect(await listOf(reader)).toEqual([second.id]);
    expect(await differences(app.db)).toEqual([]);
  });

  it('is not found for a post that the reader may not read', async () => {
    const [author, reader] = await world.people(2);
    const post = await world.post({ by: author, isPublic: false });

    for (const id of [post.id, new ObjectId().toHexString()])
      expectProblem(await put(reader, id), 404, 'post_not_found');
  });

  it('ends at 2,000: one post more is refused, a hidden one is not', async () => {
    const [author, reader] = await world.people(2);
    const [known, other] = [await world.post({ by: author }), await world.post({ by: author })];
    const now = new Date();
    await rows().insertMany(
      Array.from({ length: MAX_HIDDEN }, (_, at): Interaction => {
        const targetId = at === 0 ? new ObjectId(known.id) : new ObjectId();
        const row = { userId: reader._id, targetModel: 'Post', targetId, kind: 'hide', value: null } as const;
        const _id = interactionId(reader._id, 'hide', targetId);
        return { _id, ...row, seq: new ObjectId(), createdAt: now, updatedAt: now };
      }),
    );

    expectProblem(await put(reader, other.id), 409, 'too_many_hidden_posts');

    expect((await put(reader, known.id)).status).toBe(200);
    await app.client.delete(`/v1/posts/${known.id}/hide`, { token: reader.token });
    expect((await put(reader, other.id)).status).toBe(200);
  });

  it('is deleted with the post', async () => {
    const [author, reader] = await world.people(2);
    const post = await world.post({ by: author });
    await put(reader, post.id);

    await world.deletePost(post.id, { by: author });
    await drainTasks(app);

    expect(await rows().countDocuments({ targetId: new ObjectId(post.id) })).toBe(0);
    expect(await differences(app.db)).toEqual([]);
  });
});
