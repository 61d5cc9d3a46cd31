import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import type { ObjectId } from 'mongodb';
import type { Dataset, KnownUser } from '../data/dataset.js';
import type { SubjectPool, SubjectSpec } from '../harness/subject.js';
import type { CardRow, WriterRow } from '../peers/wire.js';

type Row = Record<string, string | number | null>;
/** Rows in the shape of the Express case. */
type CaseUser = Pick<WriterRow, '_id' | 'username' | 'fullName' | 'profilePicture'>;
type CasePost = CardRow & { author: ObjectId; content: string; hotScore: number };

const OPERATOR = { email: 'operator@example.org', password: randomBytes(12).toString('hex') };
const TOKEN_SECONDS = 36_000;
const COUNTS: (keyof CardRow['stats'])[] = [
  'viewsCount',
  'readsCount',
  'likesCount',
  'dislikesCount',
  'sharesCount',
  'commentsCount',
];
const CARD = [
  ...['id', 'slug', 'type', 'title', 'subtitle', 'tags', 'contentPreview', 'readTime', 'thumbnailUrl', 'isPublic'],
  ...['isEdited', 'created', 'updated', ...COUNTS],
  ...['id', 'username', 'fullName', 'picture'].map((name) => `expand.author.${name}`),
];

const fields = (type: string, ...names: string[]): object[] => names.map((name) => ({ type, name }));

/** The content of the dataset in PocketBase: posts with counters as a user would model them, whose author is a relation. */
export class PocketBase {
  private constructor(
    readonly spec: SubjectSpec,
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** Creates a database in this directory, and starts the server. @param program that `go install` has built */
  static async create(
    subjects: SubjectPool,
    dataset: Dataset,
    { program, directory }: { program: string; directory: string },
  ): Promise<PocketBase> {
    const { email, password } = OPERATOR;
    execFileSync(program, ['superuser', 'upsert', email, password, '--dir', directory]);
    const spec: SubjectSpec = { kind: 'pocketbase', program, directory };
    const empty = await PocketBase.open(subjects, spec);
    await empty.createCollections();
    await subjects.keepOnly([]);
    await fill(join(directory, 'data.db'), dataset);
    return PocketBase.open(subjects, spec);
  }

  private static async open(subjects: SubjectPool, spec: SubjectSpec): Promise<PocketBase> {
    const { url } = await subjects.get(spec);
    const path = 'collections/_superusers/auth-with-password';
    const { token } = await send(url, path, { identity: OPERATOR.email, password: OPERATOR.password });
    return new PocketBase(spec, url, token!);
  }

  /** Returns the path of a page. @param page counted from 1 */
  static page(page: number, perPage: number): string {
    const query = `perPage=${perPage}&page=${page}&sort=-score,-id&skipTotal=1&expand=author&fields=${CARD.join(',')}`;
    return `/api/collections/posts/records?${query}`;
  }

  /** Returns the header Authorization of each account. */
  async tokensOf(users: readonly KnownUser[]): Promise<string[]> {
    const tokens: string[] = [];
    for (const { id } of users) {
      const { token } = await this.send(`collections/members/impersonate/${id}`, { duration: TOKEN_SECONDS });
      tokens.push(token!);
    }
    return tokens;
  }

  private async createCollections(): Promise<void> {
    const texts = fields('text', 'username', 'fullName', 'picture');
    const members = await this.send('collections', { name: 'members', type: 'auth', viewRule: '', fields: texts });
    const relation = (name: string, collectionId: string): object => ({
      ...{ type: 'relation', name, collectionId, maxSelect: 1, required: true },
    });
    const posts = await this.send('collections', {
      ...{ name: 'posts', type: 'base', listRule: 'isPublic = true', viewRule: 'isPublic = true' },
      createRule: '@request.auth.id != "" && @request.auth.id = author',
      fields: [
        ...fields('text', 'title', 'subtitle', 'slug', 'type', 'contentPreview', 'thumbnailUrl'),
        { type: 'text', name: 'content', max: 200_000 },
        ...fields('json', 'tags'),
        ...fields('bool', 'isPublic', 'isEdited'),
        ...fields('number', 'readTime', 'score', ...COUNTS),
        relation('author', members.id!),
        { type: 'autodate', name: 'created', onCreate: true },
        { type: 'autodate', name: 'updated', onCreate: true, onUpdate: true },
      ],
      indexes: ['CREATE INDEX posts_score ON posts (isPublic, score DESC, id DESC)'],
    });
    await this.send('collections', {
      ...{ name: 'votes', type: 'base', createRule: '@request.auth.id != "" && @request.auth.id = account' },
      fields: [relation('account', members.id!), relation('post', posts.id!), ...fields('number', 'value')],
      indexes: ['CREATE UNIQUE INDEX votes_once ON votes (account, post)'],
    });
    // A row for each request, by default.
    await this.send('settings', { logs: { maxDays: 0 } }, 'PATCH');
  }

  private send(path: string, body: object, method = 'POST'): Promise<Answer> {
    return send(this.url, path, body, { method, authorization: this.token });
  }
}

type Answer = { id?: string; token?: string };

async function send(
  url: string,
  path: string,
  body: object,
  { method = 'POST', authorization = '' } = {},
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization };
  const response = await fetch(`${url}/api/${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`PocketBase: ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Writes the rows, which would take hours over HTTP. No server may run. */
async function fill(file: string, { caseA }: Dataset): Promise<void> {
  const database = new DatabaseSync(file);
  const insert = async (table: string, rows: AsyncIterable<Row>): Promise<void> => {
    database.exec('BEGIN');
    let statement: StatementSyncInstance | undefined;
    for await (const row of rows) {
      const names = Object.keys(row);
      statement ??= database.prepare(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      );
      statement.run(...Object.values(row));
    }
    database.exec('COMMIT');
  };
  const users = caseA.collection<CaseUser>('users').find({});
  await insert('members', mapped(users, memberOf));
  await insert('posts', mapped(caseA.collection<CasePost>('posts').find({}), postOf));
  database.exec('ANALYZE');
  database.close();
}

async function* mapped<T>(rows: AsyncIterable<T>, rowOf: (row: T) => Row): AsyncGenerator<Row> {
  for await (const row of rows) yield rowOf(row);
}

function memberOf({ _id, username, fullName, profilePicture }: CaseUser): Row {
  return { id: String(_id), tokenKey: String(_id), username, fullName, picture: profilePicture ?? '' };
}

function postOf(post: CasePost): Row {
  const { _id, author, tags, stats, hotScore, createdAt, updatedAt, isPublic, isEdited } = post;
  const { title, slug, type, content, contentPreview, subtitle, thumbnailUrl, readTime } = post;
  const dateOf = (date: Date): string => date.toISOString().replace('T', ' ');
  return {
    ...{ id: String(_id), author: String(author), title, slug, type, content, contentPreview, readTime },
    ...{ subtitle: subtitle ?? '', thumbnailUrl: thumbnailUrl ?? '', tags: JSON.stringify(tags), score: hotScore },
    ...{ isPublic: Number(isPublic), isEdited: Number(isEdited) },
    ...Object.fromEntries(COUNTS.map((name) => [name, stats[name]])),
    ...{ created: dateOf(createdAt), updated: dateOf(updatedAt) },
  };
}
