import type { CollectionDto } from '../../src/collections/dto/collection.dto.js';
import type { TestApp } from './app.js';
import type { TestPerson } from './people.js';

/** A collection as its owner makes it over HTTP, with these posts in it. */
export async function writeCollection(
  { client }: TestApp,
  { token }: TestPerson,
  draft: { kind?: 'list' | 'series'; title?: string; isPublic?: boolean; tags?: string[] } = {},
  postIds: readonly string[] = [],
): Promise<CollectionDto> {
  const body = { kind: 'list', title: 'Looms and engines', ...draft };
  const made = await client.post('/v1/collections', { token, body });
  if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`);
  for (const postId of postIds) {
    const put = await client.put(`/v1/collections/${made.body.id}/posts/${postId}`, { token, body: {} });
    if (put.status !== 200) throw new Error(`${put.status} ${JSON.stringify(put.body)}`);
  }
  return made.body;
}

/** The ids of its posts, in order, page by page. */
export async function orderOf(
  { client }: TestApp,
  collectionId: string,
  { token, limit = 100 }: { token?: string | undefined; limit?: number } = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await client.get(`/v1/collections/${collectionId}/posts?limit=${limit}${cursor}`, {
      token,
    });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    ids.push(...body.data.map(({ post }: { post: { id: string } }) => post.id));
    if (body.page.nextCursor === null) return ids;
    if (body.data.length !== limit) throw new Error(`a short page: ${body.data.length} of ${limit}`);
    cursor = `&cursor=${body.page.nextCursor}`;
  }
}
