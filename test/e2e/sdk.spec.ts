import sharp from 'sharp';
import { ApiError, type ClientOptions, OpenCanvas, type Progress, unwrap } from '../../sdk/src/index.js';
import { useApp } from '../support/app.js';
import { KEY, refusal, storageOf, withoutLocks } from '../support/sdk.js';
import type { PersonWithPassword } from '../support/world.js';

const DRAFT = { title: 'Once', content: 'Written *once*.', type: 'article' } as const;

/** Replaces responses of the server, in order. `lost`: the server executes the request, but its response does not arrive. */
type Fate = Response | 'lost';

describe('the SDK', () => {
  const app = useApp();
  const { world } = app;
  let ada: PersonWithPassword;
  let waits: number[];
  let paths: string[];

  beforeAll(async () => {
    ada = await world.person({ overHttp: true });
  });
  beforeEach(() => {
    waits = [];
    paths = [];
  });

  const clientOf = ({ fates = [], ...options }: Partial<ClientOptions> & { fates?: Fate[] } = {}) =>
    new OpenCanvas({
      baseUrl: app.url,
      storageKey: KEY,
      sleep: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
      fetch: async (request) => {
        paths.push(new URL(request.url).pathname);
        const fate = fates.shift();
        if (fate instanceof Response) return fate;
        const response = await fetch(request);
        if (fate === 'lost') throw new TypeError('fetch failed');
        return response;
      },
      ...options,
    });
  const signedIn = async ({ storage = storageOf(), ...options }: Parameters<typeof clientOf>[0] = {}) => {
    const body = { login: ada.username, password: ada.password };
    await unwrap(clientOf({ storage }).POST('/v1/auth/login', { body }));
    paths = [];
    return clientOf({ storage, ...options });
  };
  const refreshes = () => paths.filter((path) => path === '/v1/auth/refresh').length;
  const me = (client: OpenCanvas) => client.GET('/v1/auth/me');

  describe('refreshes the tokens', () => {
    it('once for ten requests that are refused at the same time', async () => {
      const storage = storageOf();
      const client = await signedIn({ storage });
      storage.expire();

      const results = await Promise.all(Array.from({ length: 10 }, () => me(client)));

      expect(results.map(({ data }) => data?.username)).toEqual(Array(10).fill(ada.username));
      expect(refreshes()).toBe(1);
    });

    it('or uses those of another client that was faster, where there are no Web Locks', async () => {
      const storage = storageOf();
      const faster = await signedIn({ storage });
      storage.expire();
      const slower = clientOf({
        storage,
        fetch: async (request) => {
          if (!request.url.endsWith('/refresh')) return fetch(request);
          await me(faster);
          return refusal(401, 'invalid_refresh_token');
        },
      });

      const { data } = await withoutLocks(() => me(slower));

      expect(data?.username).toBe(ada.username);
      expect(await slower.isSignedIn()).toBe(true);
    });

    it('and ends the sign-in when the server has ended it', async () => {
      const storage = storageOf();
      const client = await signedIn({ storage });
      storage.setItem(KEY, JSON.stringify({ accessToken: 'a.b.c', refreshToken: 'x'.repeat(43) }));

      expect((await me(client)).error?.code).toBe('invalid_token');

      expect(await client.isSignedIn()).toBe(false);
    });

    it('and stays signed in while the server cannot refresh', async () => {
      const storage = storageOf();
      const client = await signedIn({
        storage,
        retries: 0,
        fates: [refusal(401, 'invalid_token'), refusal(503, 'overloaded')],
      });

      expect((await me(client)).error?.code).toBe('overloaded');

      expect(await client.isSignedIn()).toBe(true);
    });
  });

  it('sends no token after signing out, and the session has ended', async () => {
    const storage = storageOf();
    const client = await signedIn({ storage });
    const tokens = storage.getItem(KEY)!;

    await client.signOut();

    expect((await me(client)).error?.code).toBe('unauthorized');
    storage.setItem(KEY, tokens);
    expect((await me(client)).error?.code).toBe('invalid_token');
  });

  describe('repeats a request', () => {
    it('after the seconds of Retry-After', async () => {
      const client = clientOf({ fates: [refusal(503, 'overloaded', 7), refusal(429, 'rate_limited', 3)] });

      await unwrap(client.GET('/v1/feed'));

      expect(waits).toEqual([7000, 3000]);
    });

    it('later each time when the connection breaks', async () => {
      const client = clientOf({ fates: ['lost', 'lost', 'lost'] });

      await unwrap(client.GET('/v1/feed'));

      expect(waits.map((ms, at) => ms / 1000 / 2 ** at).every((share) => share >= 0.5 && share <= 1)).toBe(true);
      expect(waits).toHaveLength(3);
    });

    it('not when the server asks for an hour', async () => {
      const { error } = await clientOf({ fates: [refusal(429, 'rate_limited', 3600)] }).GET('/v1/feed');

      expect([error?.code, waits]).toEqual(['rate_limited', []]);
    });

    it('not when it is a POST without a key that may have been executed', async () => {
      const client = clientOf({ fates: ['lost'] });

      await expect(client.POST('/v1/auth/password-reset', { body: { email: 'a@example.org' } })).rejects.toThrow(
        TypeError,
      );

      expect(paths).toHaveLength(1);
    });

    it('not when it was aborted', async () => {
      const client = clientOf({ fates: ['lost', 'lost'] });

      await expect(client.GET('/v1/feed', { signal: AbortSignal.abort() })).rejects.toThrow('aborted');

      expect(waits).toEqual([]);
    });

    it('with the same key, so a post whose response is lost is published once', async () => {
      const client = await signedIn({ fates: ['lost', 'lost'] });

      const { data, response } = await client.POST('/v1/posts', { body: DRAFT });

      expect(response.headers.get('idempotent-replayed')).toBe('true');
      const rows = await app.db.collection('posts').find({ title: DRAFT.title }).toArray();
      expect(rows.map(({ _id }) => String(_id))).toEqual([data?.id]);
    });
  });

  it('lists every row once, page by page', async () => {
    const bob = await world.person();
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.unshift((await world.post({ by: bob })).id);

    const rows: string[] = [];
    const params = { path: { username: bob.username }, query: { limit: 2 } };
    for await (const { id } of clientOf().list('/v1/users/{username}/posts', { params })) rows.push(id);

    expect(rows).toEqual(ids);
    expect(paths).toHaveLength(3);
  });

  it('throws the problem of a list', async () => {
    const params = { path: { username: 'no_such_user' } };

    const reading = clientOf().list('/v1/users/{username}/posts', { params }).next();

    const error = await reading.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).problem).toMatchObject({ code: 'user_not_found', status: 404 });
  });

  it('uploads an image and says how much is sent', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
    const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'white', noise } })
      .png()
      .toBuffer();
    const steps: Progress[] = [];
    const client = await signedIn();

    const { data } = await client.upload(new Blob([new Uint8Array(bytes)]), {
      onProgress: (step) => steps.push({ ...step }),
    });

    expect([data?.width, data?.height]).toEqual([300, 200]);
    expect(steps.length).toBeGreaterThan(2);
    const total = steps[0]!.totalBytes;
    expect(total).toBeGreaterThan(bytes.length);
    const sent = steps.map(({ sentBytes }) => sentBytes);
    expect(sent).toEqual([...new Set(sent)].sort((a, b) => a - b));
    expect(sent.at(-1)).toBe(total);
  });

  it('has the problems of an operation as a union over their codes', async () => {
    const { error } = await clientOf().POST('/v1/auth/login', { body: { login: ada.username, password: 'wrong one' } });

    if (error === undefined) throw new Error('signed in');
    // @ts-expect-error no sign-in responds with it
    expect(error.code === 'draft_exists').toBe(false);
    // @ts-expect-error only second_factor_required has it
    expect(error.mfaToken).toBeUndefined();
    if (error.code === 'second_factor_required') expect(error.mfaToken satisfies string).toBe('');
    expect(error.code).toBe('invalid_credentials');
  });

  it('gives an error that is not of the server a code, too', async () => {
    const page = new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } });

    const { error } = await clientOf({ retries: 0, fates: [page] }).GET('/v1/feed');

    expect(error).toMatchObject({ code: 'unexpected_response', status: 502, detail: '<h1>Bad Gateway</h1>' });
  });

  it('sends an API token in place of a sign-in', async () => {
    const { token } = await world.apiToken({ by: ada, scopes: ['profile'] });

    expect((await me(clientOf({ apiToken: token }))).data?.username).toBe(ada.username);
  });
});
