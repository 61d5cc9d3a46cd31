import { BlocksService } from '../../src/blocks/blocks.service.js';
import { type ListFilter, NO_FILTER } from '../../src/blocks/list-filter.js';
import { ViewerFiltersService } from '../../src/blocks/viewer-filters.service.js';
import { HiddenPostsService } from '../../src/interactions/hidden-posts.service.js';
import { EventStream } from '../../src/platform/events/event-stream.js';
import { startApp, type TestApp } from '../support/app.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';

/** A write that changes the filter of `reader`, and the same write undone. */
type Change = (reader: Person, author: Person, postId: string) => Promise<unknown>;

describe('the list filters of viewers', () => {
  let host: TestApp;
  let other: TestApp;

  beforeAll(async () => {
    host = await startApp({ role: 'all' });
    other = await startApp({ beside: host, role: 'all' });
    for (const { app } of [host, other]) await until(() => app.get(EventStream).isOpen || null);
  });
  afterAll(async () => {
    await other.close();
    await host.close();
  });

  const filterOf = ({ viewer }: Person, at = host): Promise<ListFilter> => at.app.get(ViewerFiltersService).of(viewer);
  const cachedFor = ({ id }: Person, at = host) => at.app.get(ViewerFiltersService).find(id);
  const send = (method: string, by: Person, path: string, body?: object) =>
    host.patient.request(method, `/v1/${path}`, { token: by.token, ...(body ? { body } : {}) });

  it('are NO_FILTER for visitors and accounts without blocks, mutes and hidden posts', async () => {
    const reader = await host.world.person();

    expect(await host.app.get(ViewerFiltersService).of(null)).toBe(NO_FILTER);
    expect(await filterOf(reader)).toBe(NO_FILTER);
    expect(cachedFor(reader)).toBe(NO_FILTER);
  });

  it.each<[string, put: Change, undo: Change]>([
    [
      'a block by the viewer',
      (reader, author) => send('PUT', reader, `users/${author.username}/block`),
      (reader, author) => send('DELETE', reader, `users/${author.username}/block`),
    ],
    [
      'a block of the viewer',
      (reader, author) => send('PUT', author, `users/${reader.username}/block`),
      (reader, author) => send('DELETE', author, `users/${reader.username}/block`),
    ],
    [
      'a mute',
      (reader, author) => send('PUT', reader, `users/${author.username}/mute`, {}),
      (reader, author) => send('DELETE', reader, `users/${author.username}/mute`),
    ],
    [
      'a hidden post',
      (reader, _, postId) => send('PUT', reader, `posts/${postId}/hide`),
      (reader, _, postId) => send('DELETE', reader, `posts/${postId}/hide`),
    ],
    [
      'a filter by phrase',
      (by) => host.world.contentFilter({ by, phrase: 'analytical' }),
      async (reader) => {
        const { data } = (await send('GET', reader, 'users/me/filters')).body;
        await send('DELETE', reader, `users/me/filters/${data[0].id}`);
      },
    ],
  ])('contain %s with the response of the write, and on another host with the event', async (_, put, undo) => {
    const [reader, author] = await host.world.people(2);
    const post = await host.world.post({ by: author });
    const hidesAt = async (at: TestApp) => (await filterOf(reader, at)).filterCard(post) === null;
    expect([await hidesAt(host), await hidesAt(other)]).toEqual([false, false]);

    await put(reader, author, post.id);
    expect(await hidesAt(host)).toBe(true);
    await until(async () => (await hidesAt(other)) || null);

    await undo(reader, author, post.id);
    expect(await hidesAt(host)).toBe(false);
    await until(async () => !(await hidesAt(other)) || null);
    expect(await filterOf(reader)).toBe(NO_FILTER);
  });

  it('contain no mute that has ended', async () => {
    const [reader, author] = await host.world.people(2);
    await host.app.get(BlocksService).mute(reader.viewer, author.username, '2099-12-31T00:00:00Z');
    expect((await filterOf(reader)).hidesAccount(author.id)).toBe(true);

    const ended = { $set: { until: new Date(Date.now() - 1) } };
    await host.db.collection('mutes').updateOne({ ownerId: reader._id }, ended);

    expect(await filterOf(reader, other)).toBe(NO_FILTER);
  });

  it('are not cached if a change commits while they are read', async () => {
    const [reader, author] = await host.world.people(2);
    const hiddenPosts = host.app.get(HiddenPostsService);
    host.app.get(ViewerFiltersService).readHiddenPostsWith(async () => {
      await host.app.get(BlocksService).block(reader.viewer, author.username);
      return [];
    });

    await filterOf(reader);
    hiddenPosts.onModuleInit();

    expect(cachedFor(reader)).toBeUndefined();
    expect((await filterOf(reader)).hidesAccount(author.id)).toBe(true);
  });
});
