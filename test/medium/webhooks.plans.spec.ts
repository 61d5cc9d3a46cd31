import type { CommandStartedEvent } from 'mongodb';
import { useApp } from '../support/app.js';
import { whileListening } from '../support/commands.js';
import { plansOf } from '../support/plans.js';
import { drainActivity, drainTasks, verbsOf } from '../support/verbs.js';

const EVENTS = ['post.published', 'post.updated'] as const;

describe('a site without webhooks', () => {
  const app = useApp();
  const { world } = app;
  const { ok } = verbsOf(app);

  it('sends no query about them for posts, comments, follows, profiles and collections', async () => {
    const [author, reader] = await world.people(2);
    const everything = async (): Promise<void> => {
      const post = await world.post({ by: author });
      await world.editPost(post.id, { by: author, content: 'Another text.' });
      const { id } = await world.comment({ by: reader, on: post.id });
      await ok(reader, 'PUT', `users/${author.username}/follow`);
      await drainActivity(app);
      await ok(reader, 'PATCH', `comments/${id}`, { content: 'Another one.' });
      await ok(reader, 'DELETE', `comments/${id}`);
      await ok(author, 'PATCH', 'users/me', { headline: `Countess ${post.id}` });
      await ok(author, 'POST', 'collections', { title: 'Looms', kind: 'list' });
      await ok(author, 'DELETE', `posts/${post.id}`);
      await drainTasks(app);
    };
    // Each process reads once that there are none.
    await everything();
    const commands: string[] = [];
    const onCommand = ({ commandName: name, command }: CommandStartedEvent): void => {
      if (String(command[name]).startsWith('webhook')) commands.push(name);
    };

    await whileListening(app, onCommand, everything);

    expect(commands).toEqual([]);
  });
});

describe('the queries of webhooks', () => {
  const app = useApp();
  const { world } = app;

  it('read a page of deliveries as a range of an index, with and without a state', async () => {
    const [owner, other] = await world.people(2);
    const { token } = owner;
    const { id } = await world.webhook({ by: owner });
    for (const path of [id, id, id, (await world.webhook({ by: owner })).id])
      await app.client.post(`/v1/webhooks/${path}/ping`, { token });
    await world.webhook({ by: other });

    for (const query of ['limit=2', 'limit=2&state=waiting']) {
      const read = () => app.client.get(`/v1/webhooks/${id}/deliveries?${query}`, { token });
      const [list] = await plansOf(app, read, 'webhook_deliveries');

      expect(list).toMatchObject({ docsExamined: 3, nReturned: 3 });
      expect(list!.plan).not.toMatch(/\bSORT\b|COLLSCAN/);
    }
  });

  it('find the receivers of an edit by an index, and read nothing else for an account without webhooks', async () => {
    const [owner, other] = await world.people(2);
    await world.webhook({ by: owner, events: [...EVENTS] });
    const posts = await Promise.all([owner, other].map((by) => world.post({ by })));
    let edits = 0;
    const edit = (at: number) => () =>
      world.editPost(posts[at]!.id, { by: [owner, other][at]!, content: `Text ${++edits}.` });
    // Reads the events of the new webhook.
    await edit(0)();

    const [receivers] = await plansOf(app, edit(0), 'webhooks');
    const [none] = await plansOf(app, edit(1), 'webhooks');

    expect([receivers, none]).toMatchObject([
      { docsExamined: 1, nReturned: 1 },
      { docsExamined: 0, nReturned: 0 },
    ]);
    for (const { plan } of [receivers!, none!]) expect(plan).not.toContain('COLLSCAN');
  });
});
