import type { TestApp } from './app.js';

/** Returns the ids of a collection's posts, in order, page by page. */
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
