import { useApp } from '../support/app.js';
import { verbsOf } from '../support/verbs.js';

describe('Server-Timing', () => {
  const app = useApp();
  const { world } = app;
  const { send } = verbsOf(app);

  /** Returns the names of the parts in their order, and the ms of each. */
  function partsOf({ headers }: { headers: Headers }): { names: string[]; ms: Record<string, number> } {
    const parts = headers
      .get('server-timing')!
      .split(', ')
      .map((part) => /^(\w+);dur=(\d+\.\d)$/.exec(part)!);
    return {
      names: parts.map(([, name]) => name!),
      ms: Object.fromEntries(parts.map(([, name, ms]) => [name, Number(ms)])),
    };
  }

  it('has the commit and the serialization of a vote', async () => {
    const [author, reader] = await world.people(2);
    const post = await world.post({ by: author });

    const { names, ms } = partsOf(await send(reader, 'PUT', `posts/${post.id}/vote`, { value: 'like' }));

    expect(names).toEqual(['commit', 'json', 'total']);
    expect(ms['commit']).toBeGreaterThan(0);
    // Each is rounded.
    expect(ms['commit']! + ms['json']!).toBeLessThanOrEqual(ms['total']! + 0.2);
  });

  it('has the commit of a vote that is refused in its batch', async () => {
    const refused = await send(await world.person(), 'PUT', `posts/${'0'.repeat(24)}/vote`, { value: 'like' });

    expect(refused.status).toBe(404);
    expect(partsOf(refused).names).toEqual(['commit', 'json', 'total']);
  });

  it('has no commit of a read, or of a write outside a batch', async () => {
    const person = await world.person({ overHttp: true });

    const read = await send(person, 'GET', 'auth/me');
    const write = await send(person, 'PATCH', 'users/me', { bio: 'Bees' });

    for (const response of [read, write]) {
      expect(response.status).toBe(200);
      expect(partsOf(response).names).toEqual(['json', 'total']);
    }
  });

  it('has no serialization of a list whose JSON is written while it is read', async () => {
    const { headers } = await app.client.get('/v1/feed?limit=7');
    expect(headers.get('x-cache')).toBe('MISS');
    expect(partsOf({ headers }).names).toEqual(['total']);
  });

  it('has no serialization of a response without a body', async () => {
    const by = await world.person();
    const { id } = await world.post({ by });

    const deleted = await send(by, 'DELETE', `posts/${id}`);

    expect(deleted.status).toBe(204);
    expect(partsOf(deleted).names).toEqual(['total']);
  });
});
