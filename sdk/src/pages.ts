import type { FetchOptions } from 'openapi-fetch';
import { unwrap } from './problem.js';
import type { components, paths } from './schema.js';

type WithCursor = { page: components['schemas']['PageInfo'] };
type Json<Body> = { responses: { 200: { content: { 'application/json': Body } } } };
type PathsOf<Body> = { [P in keyof paths]: paths[P] extends { get: Json<Body> } ? P : never }[keyof paths];
type Options<P extends keyof paths> = FetchOptions<NonNullable<paths[P]['get']>>;

/** Path of a list with cursors. */
export type PagedPath = PathsOf<WithCursor>;
/** Path of a list whose pages are rows. A search has a page of each kind. */
export type ListPath = PathsOf<WithCursor & { data: unknown[] }>;
/** Parameters of `GET`. A `cursor` sets the start. */
export type ListInit<P extends keyof paths> =
  Partial<Options<P>> extends Options<P> ? [init?: Options<P>] : [init: Options<P>];

/** A page of the list. */
export type Page<P extends PagedPath> = paths[P] extends { get: Json<infer Body> } ? Body : never;
/** A row of the list. */
export type Row<P extends ListPath> = Page<P> extends { data: (infer T)[] } ? T : never;

interface Params {
  params?: { query?: { cursor?: string } };
}
type Get = (path: string, init: Params) => Promise<{ data: WithCursor; response: Response }>;

/** Reads a page only after the previous page was consumed. @throws ApiError */
export async function* pagesOf(get: Get, path: string, init: Params = {}): AsyncGenerator<WithCursor, void, undefined> {
  let query = init.params?.query;
  for (;;) {
    const page = await unwrap(get(path, { ...init, params: { ...init.params, ...(query && { query }) } }));
    yield page;
    const cursor = page.page.nextCursor;
    if (cursor === null) return;
    query = { ...query, cursor };
  }
}
