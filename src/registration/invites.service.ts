import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { requireFuture } from '../common/future-date.js';
import { hashOfSecret } from '../common/secret-hash.js';
import { AppConfig } from '../config/app-config.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { allFields, findMany, findOne, streamMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { Exported } from '../users/exported.decorator.js';
import type { CreateInvite } from './dto/invite.dto.js';
import { Invite, type ListedInvite, MAX_INVITES, InviteSchema } from './invite.schema.js';

const CODE_BYTES = 32;
const DEFAULT_TTL_MS = 7 * 86_400_000;

/** all fields but the hash of the code */
const FIELDS = allFields(InviteSchema, 'codeHash');

/** Invites of admins, and of other users if INVITES_PER_USER is not 0. */
@Injectable()
export class InvitesService {
  private readonly perUser: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly paginator: Paginator,
    private readonly log: ModerationLogService,
    @InjectModel(Invite.name) private readonly invites: Model<Invite>,
    { registration }: AppConfig,
  ) {
    this.perUser = registration.invitesPerUser;
  }

  /**
   * Creates an invite. Only this call returns the code.
   * @param by null for the operator
   * @throws CodedError `forbidden`, `too_many_invites`, `invalid_expiry`, `invalid_input` when a non-admin requests several uses
   */
  async create(by: Viewer | null, draft: CreateInvite): Promise<{ row: ListedInvite; code: string }> {
    const isMember = by !== null && !hasRole(by, 'admin');
    const limit = isMember ? this.perUser : MAX_INVITES;
    const { uses = 1, note = '' } = draft;
    if (limit === 0) throw new CodedError('forbidden', 'Only admins can invite.');
    if (isMember && uses > 1) throw tooManyUses();
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const creatorId = by === null ? null : by._id;
    const made = { creatorId, uses, usedCount: 0, note, createdAt: new Date(), expiresAt: expiryOf(draft.expiresAt) };
    const row = await this.mongo.serializedTransaction(`invites:${by?.id ?? ''}`, async (tx) => {
      const slot = await this.freeSlot(creatorId, limit, tx);
      const row = { _id: new ObjectId(), slot, ...made };
      // Two hosts that insert the same slot conflict, and one transaction runs again.
      await this.invites.insertOne({ ...row, codeHash: hashOfSecret(code) }, { session: tx.session });
      if (!isMember) await this.record(by, 'create_invite', row._id, tx);
      return row;
    });
    return { row, code };
  }

  /** Lists invites, latest first: all for admins, own ones for other users. */
  list(viewer: Viewer, query: PageQuery): Promise<Page<ListedInvite>> {
    const filter = hasRole(viewer, 'admin') ? {} : { creatorId: viewer._id };
    const scope = `invites:${filter.creatorId?.toHexString() ?? ''}`;
    return this.paginator.listLatest(this.invites, { filter, fields: FIELDS, query, scope });
  }

  /** Streams the invites of an account for its export, latest first. */
  @Exported('invites.jsonl')
  async *streamOwn(creatorId: ObjectId): AsyncGenerator<object, void, undefined> {
    const rows = streamMany(this.invites, { creatorId }, FIELDS, { sort: { _id: -1 } });
    for await (const { uses, usedCount, note, createdAt, expiresAt } of rows)
      yield { uses, usedCount, note, createdAt, expiresAt };
  }

  /**
   * Consumes one use in the transaction of a registration. If two registrations compete for the last use, one of them retries and fails.
   * @throws CodedError `invalid_invite`
   */
  async use(code: string, tx: Transaction): Promise<void> {
    const isOpen = { expiresAt: { $gt: new Date() }, $expr: { $lt: ['$usedCount', '$uses'] } };
    const change = { $inc: { usedCount: 1 } };
    const { matchedCount } = await this.invites.updateOne({ codeHash: hashOfSecret(code), ...isOpen }, change, {
      session: tx.session,
    });
    if (matchedCount === 0) throw invalidInvite();
  }

  /**
   * Deletes an unused invite. Closes a used one, which occupies its slot until it expires. Allowed for the creator and admins.
   * @throws CodedError `invite_not_found`
   */
  async revoke(viewer: Viewer, id: ObjectId): Promise<void> {
    const isAdmin = hasRole(viewer, 'admin');
    await this.mongo.transaction(async (tx) => {
      const filter = { _id: id, ...(isAdmin ? {} : { creatorId: viewer._id }) };
      const row = await findOne(this.invites, filter, { usedCount: 1 }, { session: tx.session });
      if (row === null) throw new CodedError('invite_not_found', 'Invite not found.');
      if (row.usedCount === 0) await this.invites.deleteOne({ _id: id }, { session: tx.session });
      else await this.invites.updateOne({ _id: id }, { $set: { uses: row.usedCount } }, { session: tx.session });
      if (isAdmin) await this.record(viewer, 'revoke_invite', id, tx);
    });
  }

  private record(
    by: Viewer | null,
    kind: 'create_invite' | 'revoke_invite',
    targetId: ObjectId,
    tx: Transaction,
  ): Promise<void> {
    return this.log.record({ by, kind, targetKind: 'invite', targetId }, tx);
  }

  private async freeSlot(creatorId: ObjectId | null, limit: number, tx: Transaction): Promise<number> {
    const taken = await findMany(this.invites, { creatorId }, { slot: 1 }, { session: tx.session });
    const slots = new Set(taken.map(({ slot }) => slot));
    for (let slot = 0; slot < limit; slot++) if (!slots.has(slot)) return slot;
    throw new CodedError('too_many_invites', `At most ${limit} invites at a time. Revoke an unused one first.`);
  }
}

/** Returns the same error for a missing, unknown, used-up or expired invite, so that responses do not reveal which codes exist. */
export function invalidInvite(): CodedError {
  return new CodedError('invalid_invite', 'Registration requires an invite that is neither used up nor expired.', {
    fields: [{ field: 'invite', message: 'is unknown, used up or expired' }],
  });
}

function tooManyUses(): CodedError {
  const message = 'must be 1, unless you are an admin';
  return new CodedError('invalid_input', `uses ${message}.`, { fields: [{ field: 'uses', message }] });
}

function expiryOf(text: string | undefined): Date {
  return text === undefined ? new Date(Date.now() + DEFAULT_TTL_MS) : requireFuture(text, 'expiresAt');
}
