// What openapi-typescript and openapi-fetch make of the document, used against a running server: BASE_URL.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

type Problem = components['schemas']['Problem'];

const baseUrl = process.env['BASE_URL']!;
const picture = Buffer.from(process.env['PICTURE']!, 'base64');
const anonymous = createClient<paths>({ baseUrl });

function check(isRight: boolean, what: string): asserts isRight {
  if (!isRight) throw new Error(what);
}

const { data: signedIn } = await anonymous.POST('/v1/auth/login', {
  body: { login: 'demo_writer', password: 'opencanvas-demo-2025' },
});
check(signedIn?.user.username === 'demo_writer', 'sign-in');
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${signedIn.accessToken}` } });

const first = await client.GET('/v1/feed', { params: { query: { limit: 2 } } });
const cursor = first.data?.page.nextCursor;
check(first.data?.data.length === 2 && typeof cursor === 'string', 'a page');
const second = await client.GET('/v1/feed', { params: { query: { limit: 2, cursor } } });
check(second.data !== undefined && second.data.data[0]!.id !== first.data.data[0]!.id, 'the next page');

const created = await client.POST('/v1/posts', {
  body: { title: 'Écrit en TypeScript', content: 'It weaves.', type: 'article', tags: ['größe'] },
});
const id = created.data?.id;
check(id !== undefined, 'publish');
const etag = created.response.headers.get('etag')!;
const edit = (ifMatch: string) =>
  client.PATCH('/v1/posts/{idOrSlug}', {
    params: { path: { idOrSlug: id }, header: { 'If-Match': ifMatch } },
    body: { title: 'Edited' },
  });
check((await edit(etag)).data?.title === 'Edited', 'If-Match');
const stale: Problem | undefined = (await edit(etag)).error;
check(stale?.code === 'precondition_failed' && stale.status === 412, 'a typed error');

const vote = await client.PUT('/v1/posts/{id}/vote', { params: { path: { id } }, body: { value: 'like' } });
check(vote.data?.value === 'like', 'vote');

const ids = first.data.data.map((card) => card.id);
const listed = await client.GET('/v1/posts', { params: { query: { ids } } });
check(listed.data?.data.length === 2, 'a list as the client writes it');

const form = new FormData();
form.set('file', new Blob([picture], { type: 'image/png' }), 'dot.png');
const uploaded = await client.POST('/v1/media', {
  body: { file: 'dot.png' },
  bodySerializer: () => form,
});
check(uploaded.data?.width === 1, `upload: ${JSON.stringify(uploaded.error)}`);
console.log('TypeScript: ok');
