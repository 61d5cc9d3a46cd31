import { useApp } from '../support/app.js';
import { openCanvasClient } from '../support/opencanvas.js';
import { plansOf } from '../support/plans.js';

describe('numbered pages', () => {
  const app = useApp({ seeded: 'small', env: { OPENCANVAS_API: '/oc' } });
  const { world } = app;
  const { read } = openCanvasClient(app);

  it.each([
    ['posts', '/u/posts/mine?page=2&limit=2'],
    ['posts', '/u/:me/posts?page=2&limit=2'],
    ['interactions', '/saved/posts?page=1&limit=2'],
    ['comments', '/p/:post/comments?page=2&limit=2'],
    ['comments', '/p/comments/:comment'],
    ['collections', '/collections?page=1&limit=2'],
    ['collections', '/u/:me/collections'],
    ['collection_items', '/u/:me/collections'],
  ])('of %s in %s read the rows up to their end, in the order of an index', async (collection, path) => {
    const person = await world.person();
    const { id: post } = await world.post({ by: person });
    for (let at = 0; at < 4; at++) await world.post({ by: person });
    const { id: comment } = await world.comment({ by: person, on: post });
    for (let at = 0; at < 4; at++) await world.comment({ by: person, on: post });
    for (let at = 0; at < 3; at++) await world.comment({ by: person, on: post, parentId: comment });
    await world.collection({ by: person, posts: [post] });
    await app.client.put(`/v1/posts/${post}/save`, { token: person.token, body: {} });
    const url = path.replace(':me', person.id).replace(':post', post).replace(':comment', comment);

    const plans = await plansOf(app, () => read(url, person), collection);

    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans) {
      expect(plan.plan).not.toMatch(/COLLSCAN|\bSORT\b/);
      expect(plan.docsExamined).toBeLessThanOrEqual(10);
    }
  });
});
