import { randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Binary, type Db, GridFSBucket, ObjectId } from 'mongodb';
import type { ActionRequest } from '../../src/actions/action-rules.js';
import { ActionsService } from '../../src/actions/actions.service.js';
import type { CreateContentFilter } from '../../src/blocks/dto/content-filter.dto.js';
import type { CollectionDto } from '../../src/collections/collection.dto.js';
import { hashOfSecret } from '../../src/common/secret-hash.js';
import { CommentWritesService } from '../../src/comments/comment-writes.service.js';
import type { CommentJson } from '../../src/comments/comment-view.js';
import { DraftsService } from '../../src/drafts/drafts.service.js';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import type { Scope } from '../../src/platform/access/token-scope.js';
import type { Role, Viewer } from '../../src/platform/access/viewer.js';
import type { PostDraft } from '../../src/posts/post-draft.js';
import type { PostJson } from '../../src/posts/post-view.js';
import { PostDeletionsService } from '../../src/posts/post-deletions.service.js';
import { PostWritesService } from '../../src/posts/post-writes.service.js';
import { PostsService } from '../../src/posts/posts.service.js';
import { ContentRulesService } from '../../src/rules/content-rules.service.js';
import type { CreateWebhook } from '../../src/webhooks/dto/webhook.dto.js';
import type { CreateContentRule } from '../../src/rules/dto/content-rule.dto.js';
import { newUserRow, type User } from '../../src/users/user.schema.js';
import { sentAgain } from './repeated-requests.js';
import { signUp, TEST_PASSWORD, type TestAccount } from './accounts.js';
import type { Answer, TestClient } from './client.js';
import { TINY_PNG } from './pictures.js';

/** An account with an access token. */
export interface Person {
  _id: ObjectId;
  id: string;
  username: string;
  /** access token */
  token: string;
  viewer: Viewer;
}

/** An account with a password and an e-mail address. */
export type PersonWithPassword = Person & TestAccount;

/** @field createdAt the time in the id of the account */
type PersonFields = { role?: Role; username?: string; fullName?: string; email?: string; createdAt?: Date };
type OverHttp = { overHttp: true };
type By = Pick<Person, 'viewer' | 'token'>;
type SignedIn = Pick<Person, 'token'>;

/** The app under test. */
interface Place {
  client: TestClient;
  db: Db;
  app: NestFastifyApplication;
  /** Resolves when all hosts have received the events of a service's write. */
  untilDelivered: () => Promise<void>;
}

let made = 0;

/**
 * Creates accounts and their content for specs of other features, with rows for accounts and services for posts and comments.
 * `overHttp` registers like a client, for specs of registration or specs that need a password.
 */
export class World {
  constructor(private readonly place: Place) {}

  /** Creates an account, without a password unless `overHttp`. A given role is in its own token, which no sign-out revokes. */
  person(fields: PersonFields & OverHttp): Promise<PersonWithPassword>;
  person(fields?: PersonFields): Promise<Person>;
  async person({ overHttp, ...fields }: PersonFields & { overHttp?: true } = {}): Promise<Person> {
    return overHttp ? this.signUp(fields) : (await this.people(1, fields))[0];
  }

  /** Creates many accounts without passwords. */
  async people<N extends number>(count: N, fields: Omit<PersonFields, 'email'> = {}): Promise<People<N>> {
    const { role = 'user', createdAt: now = new Date() } = fields;
    const seconds = Math.floor(now.getTime() / 1_000);
    const rows = Array.from({ length: count }, (): User => {
      const username = fields.username ?? `p${(++made).toString(36)}_${process.pid.toString(36)}`;
      const fullName = fields.fullName ?? `Person ${made}`;
      return { ...newUserRow({ _id: new ObjectId(ObjectId.generate(seconds)), username, fullName }, now), role };
    });
    await this.place.db.collection<User>('users').insertMany(rows);
    return rows.map(({ _id, username }) =>
      this.signedIn({ _id, id: _id.toHexString(), username }, role, true),
    ) as People<N>;
  }

  /** Creates a post of `by`, public unless `visibility` or `isPublic` says otherwise. */
  async post({ by, overHttp, ...fields }: Partial<PostDraft> & { by: By; overHttp?: true }): Promise<PostJson> {
    const text = { title: 'Notes on the Analytical Engine', content: 'The engine weaves algebraic patterns.' };
    const draft: PostDraft = { ...text, type: 'article', tags: ['engines'], ...fields };
    if (overHttp) return this.created('/v1/posts', by, draft);
    const post = await this.place.app.get(PostsService).create(by, draft);
    await this.place.untilDelivered();
    return post;
  }

  /** Edits a post as its author would; `isPublic` or `visibility` hides or publishes it. */
  async editPost(id: string, { by, ...fields }: Partial<PostDraft> & { by: By }): Promise<void> {
    await this.place.app.get(PostWritesService).edit(ObjectId.createFromHexString(id), by.viewer, fields);
    await this.place.untilDelivered();
  }

  /** Deletes a post, also from the trash. */
  async deletePost(id: string, { by }: { by: By }): Promise<void> {
    await this.trashPost(id, { by });
    // A removed post is not in the trash.
    const drafts = this.place.app.get(DraftsService);
    await drafts.delete(ObjectId.createFromHexString(id), by.viewer).catch((error: Error & { code?: string }) => {
      if (error.code !== 'draft_not_found') throw error;
    });
  }

  async trashPost(id: string, { by }: { by: By }): Promise<void> {
    await this.place.app.get(PostDeletionsService).delete(ObjectId.createFromHexString(id), by.viewer);
    await this.place.untilDelivered();
  }

  /** Deletes a new post of the account. Returns the id of its draft in the trash. */
  async trashedDraft(by: By): Promise<string> {
    const { id } = await this.post({ by });
    await this.trashPost(id, { by });
    return id;
  }

  /** Creates a comment on a post, or a reply if `parentId` is given. */
  async comment(comment: { by: By; on: string; parentId?: string | null; content?: string }): Promise<CommentJson> {
    const { by, on, parentId = null, content = 'Well said.' } = comment;
    const comments = this.place.app.get(CommentWritesService);
    const draft = { content, parentId };
    const stored = await comments.create(by, ObjectId.createFromHexString(on), draft);
    await this.place.untilDelivered();
    return stored;
  }

  /** Creates a public list or a series with these posts over HTTP. */
  async collection({ by, posts = [], ...fields }: CollectionFields): Promise<CollectionDto> {
    const body = { kind: 'list', title: 'Looms and engines', ...fields };
    const collection = await this.created<CollectionDto>('/v1/collections', by, body);
    for (const postId of posts) {
      const path = `/v1/collections/${collection.id}/posts/${postId}`;
      expectStatus(200, path, await this.place.client.put(path, { token: by.token, body: {} }));
    }
    return collection;
  }

  /** Creates an API token of an account with a password over HTTP. */
  apiToken(request: {
    by: SignedIn;
    scopes: readonly Scope[];
    expiresAt?: string;
  }): Promise<{ id: string; token: string }> {
    const { by, ...fields } = request;
    return this.created('/v1/auth/tokens', by, { name: 'a test', password: TEST_PASSWORD, ...fields });
  }

  /** Inserts the row and the file of an image, as after an upload. `fields` override fields of the row. */
  async picture(by: Pick<Person, '_id'>, fields: object = {}): Promise<{ mediaId: string; mediaKey: string }> {
    const { db } = this.place;
    const _id = new ObjectId();
    const secret = randomBytes(8).toString('hex');
    const picture = { secret, state: 'ready', type: 'image/png', width: 1, height: 1, bytes: TINY_PNG.length };
    const rest = {
      variants: [],
      placeholder: 'data:image/webp;base64,',
      alt: '',
      createdAt: new Date(),
      sweepAt: null,
    };
    const row = { _id, ownerId: by._id, sha256: new Binary(randomBytes(32)), ...picture, ...rest, ...fields };
    await db.collection('media').insertOne(row);
    const mediaKey = `${_id.toHexString()}-${secret}.png`;
    const bucket = new GridFSBucket(db, { bucketName: 'media' });
    await pipeline([TINY_PNG], bucket.openUploadStreamWithId(mediaKey as unknown as ObjectId, mediaKey));
    return { mediaId: _id.toHexString(), mediaKey };
  }

  /** Inserts an invite of two uses, outside of its creator's limit. */
  async invite({ by, code = randomBytes(32).toString('base64url') }: { by: Pick<Person, '_id'>; code?: string }) {
    const row = { _id: new ObjectId(), codeHash: hashOfSecret(code), creatorId: by._id, slot: 1_000 + made++, uses: 2 };
    const rest = { usedCount: 0, note: '', createdAt: new Date(), expiresAt: new Date(Date.now() + 86_400_000) };
    await this.place.db.collection('invites').insertOne({ ...row, ...rest });
    return row._id.toHexString();
  }

  /** Creates a filter by phrase over HTTP, and returns its id. */
  async contentFilter({
    by,
    ...fields
  }: { by: SignedIn; phrase: string } & Partial<CreateContentFilter>): Promise<string> {
    const body = { in: ['posts', 'comments'], action: 'hide', ...fields };
    return (await this.created<{ id: string }>('/v1/users/me/filters', by, body)).id;
  }

  /** Creates a webhook. */
  async webhook({ by, ...fields }: { by: SignedIn } & Partial<CreateWebhook>): Promise<{ id: string; secret: string }> {
    const body = { url: 'https://hooks.example.org/', events: ['post.published'], ...fields };
    const created = await this.created<{ id: string; secret: string }>('/v1/webhooks', by, body);
    await this.place.untilDelivered();
    return created;
  }

  /** Creates a rule for texts as an admin, and returns its id. */
  async rule(rule: { value: string } & Partial<CreateContentRule>): Promise<string> {
    const admin = viewerWith(new ObjectId(), 'admin');
    const draft: CreateContentRule = { kind: 'word', action: 'report', scope: ['post', 'comment'], ...rule };
    const { _id } = await this.place.app.get(ContentRulesService).create(admin, draft);
    await this.place.untilDelivered();
    return _id.toHexString();
  }

  /** Reports a post over HTTP. Returns the id of its case. */
  async report({ by, on }: { by: SignedIn; on: string }): Promise<string> {
    await this.created('/v1/reports', by, { targetKind: 'post', targetId: on, reason: 'spam' });
    return `post-${on}`;
  }

  /** Acts on content or an account as the operator. Returns the id of the action. */
  async moderate(action: ActionFields): Promise<string> {
    const request = { reasonCode: 'spam', publicReason: 'An advertisement.', ...action } as const;
    const { id } = await this.place.app.get(ActionsService).act({ viewer: null }, request);
    await this.place.untilDelivered();
    return id;
  }

  /** Appeals an action over HTTP. */
  async appeal({ by, actionId }: { by: SignedIn; actionId: string }): Promise<void> {
    await this.created('/v1/appeals', by, { actionId, text: 'It was no advertisement.' });
  }

  /** Inserts a registration that waits for a moderator. */
  async signUpThatWaits(): Promise<string> {
    const username = `w${(++made).toString(36)}_${process.pid.toString(36)}`;
    const row = { _id: new ObjectId(), username, fullName: 'Mary Somerville', email: `${username}@example.org` };
    const rest = { passwordHash: null, identity: null, reason: 'I write.', createdAt: new Date() };
    await this.place.db.collection('sign_ups').insertOne({ ...row, ...rest });
    return row._id.toHexString();
  }

  /** Inserts a passkey. Only a browser can create one that signs in. */
  async passkey(by: Pick<Person, '_id'>): Promise<string> {
    const bytes = (count: number): Binary => new Binary(randomBytes(count));
    const row = { _id: new ObjectId(), credentialId: bytes(16), userId: by._id, publicKey: bytes(77), counter: 0 };
    const rest = { transports: [], name: 'Passkey', createdAt: new Date(), lastUsedAt: null };
    await this.place.db.collection('passkeys').insertOne({ ...row, ...rest });
    return row._id.toHexString();
  }

  private async signUp({ role, ...fields }: PersonFields): Promise<PersonWithPassword> {
    const account = await signUp(this.place.client, fields);
    const _id = ObjectId.createFromHexString(account.id);
    if (role === undefined) return { ...account, _id, viewer: viewerWith(_id, 'user') };
    await this.place.db.collection('users').updateOne({ _id }, { $set: { role } });
    return this.signedIn({ ...account, _id }, role);
  }

  /** Adds a token of that role. */
  private signedIn<T extends { _id: ObjectId }>(
    person: T,
    role: Role,
    isEmailVerified?: boolean,
  ): T & { viewer: Viewer; token: string } {
    const viewer: Viewer = { ...viewerWith(person._id, role), isEmailVerified };
    return { ...person, viewer, token: this.place.app.get(AccessTokenService).issue(viewer).accessToken };
  }

  private async created<T>(path: string, { token }: SignedIn, body: object): Promise<T> {
    const answer = await sentAgain(() => this.place.client.post(path, { token, body }));
    return expectStatus(201, path, answer).body;
  }
}

type ActionFields = Pick<ActionRequest, 'kind' | 'targetKind' | 'targetId'> & Partial<ActionRequest>;

type CollectionFields = {
  by: SignedIn;
  posts?: readonly string[];
  kind?: 'list' | 'series';
  title?: string;
  isPublic?: boolean;
  tags?: string[];
};

/** A tuple of the requested length if the length is small and known. */
export type People<N extends number, Named extends Person[] = []> = number extends N
  ? [Person, ...Person[]]
  : Named['length'] extends N
    ? Named
    : Named['length'] extends 8
      ? [...Named, ...Person[]]
      : People<N, [...Named, Person]>;

function expectStatus(status: number, path: string, answer: Answer): Answer {
  if (answer.status !== status) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

function viewerWith(_id: ObjectId, role: Role): Viewer {
  return { _id, id: _id.toHexString(), role };
}
