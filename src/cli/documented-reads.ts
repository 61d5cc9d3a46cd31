import type { OpenAPIObject } from '@nestjs/swagger';
import { type Db, ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { ROLE_EXTENSION } from '../platform/access/access.decorator.js';
import type { Role } from '../platform/access/viewer.js';
import { exampleOf, type Parameter } from '../platform/http/openapi/document-parameters.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & { [ROLE_EXTENSION]?: Role };

/** A GET request. `operation` is its operation id, `role` the lowest role that may send it; null: without a token. */
export type DocumentedRead = { operation: string; url: string; role: Role | null };

/** Returns the rows that requests read in place of the examples, each among many others, so that a bad plan is visible. */
export async function chooseSubjects(db: Db): Promise<{ userId: string; subjects: Map<string, string> }> {
  const [user, hottest, comment, collection] = await Promise.all([
    db
      .collection<{ username: string }>('users')
      .findOne({ deletedAt: null, 'stats.postsCount': { $gt: 0 } }, { sort: { likesTier: -1, _id: -1 } }),
    db
      .collection<{ tags: string[] }>('posts')
      .find({ isListed: true, 'tags.0': { $exists: true } }, { hint: { 'rank.hotA': -1, _id: -1 }, limit: 1_000 })
      .project<{ _id: ObjectId; tags: string[] }>({ tags: 1 })
      .toArray(),
    db.collection('comments').findOne({ isVisible: true }),
    db
      .collection('collections')
      .findOne({ isListed: true }, { hint: { isListed: 1, topScore: -1, _id: -1 }, sort: { topScore: -1, _id: -1 } }),
  ]);
  const inSeries = await db.collection('post_series').findOne({ _id: { $in: hottest.map(({ _id }) => _id) } });
  const post = inSeries === null ? hottest[0] : hottest.find(({ _id }) => _id.equals(inSeries._id));
  const draft = await db.collection('drafts').findOne({ authorId: user?._id, state: 'open' });
  const chosen: [string, string | undefined][] = [
    [EXAMPLE.userIds[0], user?._id.toHexString()],
    [EXAMPLE.username, user?.username],
    [EXAMPLE.postId, post?._id.toHexString()],
    [EXAMPLE.month, post?._id.getTimestamp().toISOString().slice(0, 7)],
    [EXAMPLE.tag, post?.tags[0]],
    [EXAMPLE.commentId, comment?._id.toHexString()],
    [EXAMPLE.collectionId, collection?._id.toHexString()],
    [EXAMPLE.draftId, draft?._id.toHexString()],
  ];
  const found = chosen.filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { userId: user?._id.toHexString() ?? new ObjectId().toHexString(), subjects: new Map(found) };
}

/**
 * Returns every read of the document with its examples: for each value of an order, with and without each filter, and with and
 * without a token. Omits streams and redirects, which have no response with status 200 that ends.
 */
export function documentedReads(
  { paths, components }: OpenAPIObject,
  subjects: ReadonlyMap<string, string> = new Map(),
): DocumentedRead[] {
  const resolved = (schema: Parameter['schema']): Parameter['schema'] => ({
    ...(components?.schemas?.[schema?.$ref?.split('/').at(-1) ?? ''] as Parameter['schema']),
    ...schema,
  });
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined || !hasEnd(get)) return [];
    const isOpen = get.security!.length === 0 || get.security!.some((one) => !('bearer' in one));
    const acceptsToken = get.security!.some((one) => 'bearer' in one);
    const roles = [...(isOpen ? [null] : []), ...(acceptsToken ? [(get as Operation)[ROLE_EXTENSION] ?? 'user'] : [])];
    const parameters = ((get.parameters ?? []) as Parameter[]).map((one) => ({ ...one, schema: resolved(one.schema) }));
    return urlsOf(path, parameters).flatMap((example) => {
      const url = [...subjects].reduce((text, [of, value]) => text.replaceAll(of, encodeURIComponent(value)), example);
      return roles.map((role) => ({ operation: get.operationId!, url, role }));
    });
  });
}

function hasEnd({ responses }: Operation): boolean {
  const ok = responses['200'] as { content?: object } | undefined;
  return ok !== undefined && !('text/event-stream' in (ok.content ?? {}));
}

/** Returns a URL for each combination of the values of its parameters. */
function urlsOf(path: string, parameters: Parameter[]): string[] {
  const queries = parameters
    .filter(({ in: place }) => place === 'query')
    .reduce(
      (lists, parameter) =>
        lists.flatMap((list) =>
          valuesOf(parameter).map((value) =>
            value === null ? list : [...list, `${parameter.name}=${encodeURIComponent(value)}`],
          ),
        ),
      [[]] as string[][],
    );
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(exampleOf(parameters.find((one) => one.name === name)!)!),
  );
  return queries.map((query) => (query.length === 0 ? url : `${url}?${query.join('&')}`));
}

/** Every value of an order, which always has one; of a filter its example, and null for none. */
function valuesOf(parameter: Parameter): (string | null)[] {
  const { name, required, schema } = parameter;
  const example = exampleOf(parameter);
  if (name === 'limit' || example === undefined) return [null];
  // Swagger UI sends a query example that is still in the schema: the operation expects one of them.
  if (required === true || schema?.example !== undefined) return [example];
  const isOrder = name === 'sort' || schema?.default !== undefined;
  // The default comes first, because plans of one shape are shown once.
  if (isOrder && schema?.enum !== undefined) return [...new Set([String(schema.default ?? example), ...schema.enum])];
  return [null, example];
}
