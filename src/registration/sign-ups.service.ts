import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { allFields, findMany, findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { SIGN_UP_ADDED } from './registration.events.js';
import { SignUp, SignUpSchema } from './sign-up.schema.js';

const FIELDS = allFields(SignUpSchema);
const LISTED = { username: 1, fullName: 1, identity: 1, reason: 1, createdAt: 1 } as const;
export type ListedSignUp = Pick<SignUp, '_id' | keyof typeof LISTED>;

/** Registrations pending approval. */
@Injectable()
export class SignUpsService {
  constructor(
    private readonly paginator: Paginator,
    @InjectModel(SignUp.name) private readonly signUps: Model<SignUp>,
  ) {}

  /** @throws CodedError `username_taken`, `email_taken` when another pending registration has the name or address */
  async add(row: SignUp, tx: Transaction): Promise<void> {
    try {
      await this.signUps.insertOne(row, { session: tx.session });
    } catch (error) {
      const field = isDuplicateKey(error) ? Object.keys((error.keyPattern ?? {}) as object)[0] : undefined;
      if (field !== 'username' && field !== 'email') throw error;
      const fields = [{ field, message: 'is taken' }];
      throw new CodedError(`${field}_taken`, `The ${field} is taken.`, { fields, cause: error });
    }
    await tx.runHooks(SIGN_UP_ADDED, row._id);
  }

  /** Whether a registration with this identity is pending. */
  async has(identity: string, tx?: Transaction): Promise<boolean> {
    return (await findOne(this.signUps, { identity }, { _id: 1 }, { session: tx?.session })) !== null;
  }

  /** Lists pending registrations without e-mail addresses, oldest first. */
  list(query: PageQuery): Promise<Page<ListedSignUp>> {
    return this.paginator.list<ListedSignUp>({
      query,
      scope: 'sign-ups',
      positionOf: ({ _id }) => ({ id: _id.toHexString() }),
      read: (after, limit) => {
        const filter = after === null ? {} : { _id: { $gt: new ObjectId(after.id) } };
        return findMany(this.signUps, filter, LISTED, { sort: { _id: 1 }, limit });
      },
    });
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
  async deleteDecided(id: ObjectId, tx: Transaction): Promise<SignUp> {
    const row = await findOne(this.signUps, { _id: id }, FIELDS, { session: tx.session });
    if (row === null)
      throw new CodedError('sign_up_not_found', 'Registration not found. It may have been decided already.');
    await this.signUps.deleteOne({ _id: id }, { session: tx.session });
    return row;
  }
}
