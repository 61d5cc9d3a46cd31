import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type ClientSession, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CursorCodec } from '../common/cursor.js';
import { CodedError } from '../common/errors.js';
import { type Page, pageOf } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { SignUp } from './sign-up.schema.js';

const FIELDS = {
  username: 1,
  fullName: 1,
  email: 1,
  passwordHash: 1,
  identity: 1,
  reason: 1,
  createdAt: 1,
} as const satisfies Record<Exclude<keyof SignUp, '_id'>, 1>;
const LISTED = { username: 1, fullName: 1, identity: 1, reason: 1, createdAt: 1 } as const;
export type ListedSignUp = Pick<SignUp, '_id' | keyof typeof LISTED>;

const SCOPE = 'sign-ups';

/** Registrations pending approval. */
@Injectable()
export class SignUps {
  constructor(
    private readonly cursors: CursorCodec,
    @InjectModel(SignUp.name) private readonly signUps: Model<SignUp>,
  ) {}

  /** @throws CodedError `username_taken`, `email_taken` when another pending registration has the name or address */
  async add(row: SignUp, session: ClientSession): Promise<void> {
    try {
      await this.signUps.insertOne(row, { session });
    } catch (error) {
      const field = isDuplicateKey(error) ? Object.keys((error.keyPattern ?? {}) as object)[0] : undefined;
      if (field !== 'username' && field !== 'email') throw error;
      const fields = [{ field, message: 'is taken' }];
      throw new CodedError(`${field}_taken`, `The ${field} is taken.`, { fields, cause: error });
    }
  }

  /** Whether a registration with this identity is pending. */
  async has(identity: string, session: ClientSession): Promise<boolean> {
    return (await findOne(this.signUps, { identity }, { _id: 1 }, { session })) !== null;
  }

  /** Lists pending registrations without e-mail addresses, oldest first. */
  async list({ limit, cursor }: PageQuery): Promise<Page<ListedSignUp>> {
    const filter = cursor === undefined ? {} : { _id: { $gt: new ObjectId(this.cursors.decode(SCOPE, cursor).id) } };
    const rows = await findMany(this.signUps, filter, LISTED, { sort: { _id: 1 }, limit: limit + 1 });
    return pageOf(
      rows,
      limit,
      (row) => row,
      ({ _id }) => this.cursors.encode(SCOPE, { id: _id.toHexString() }),
    );
  }

  /** Returns the number of pending registrations, and the time of the oldest. */
  async pendingStatus(): Promise<{ count: number; oldestAt: Date | null }> {
    const [count, oldest] = await Promise.all([
      this.signUps.estimatedDocumentCount(),
      findOne(this.signUps, {}, { createdAt: 1 }, { sort: { _id: 1 } }),
    ]);
    return { count, oldestAt: oldest?.createdAt ?? null };
  }

  /** Deletes a registration in the transaction of its decision and returns it. @throws CodedError `sign_up_not_found` */
  async deleteDecided(id: ObjectId, session: ClientSession): Promise<SignUp> {
    const row = await findOne(this.signUps, { _id: id }, FIELDS, { session });
    if (row === null)
      throw new CodedError('sign_up_not_found', 'Registration not found. It may have been decided already.');
    await this.signUps.deleteOne({ _id: id }, { session });
    return row;
  }
}
