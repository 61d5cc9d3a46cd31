import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type ClientSession, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { UsersService } from '../users/users.service.js';
import { CREDENTIAL_MODEL, type CredentialRow } from './credential.schema.js';

const ALL_FIELDS = { email: 1, passwordHash: 1, updatedAt: 1 } as const;

/** E-mail addresses and password hashes. */
@Injectable()
export class CredentialsService {
  constructor(
    @InjectModel(CREDENTIAL_MODEL) private readonly credentials: Model<CredentialRow>,
    private readonly users: UsersService,
  ) {}

  async findById(userId: ObjectId): Promise<CredentialRow | null> {
    return findOne(this.credentials, { _id: userId }, ALL_FIELDS);
  }

  /** By e-mail or by username, present or earlier. Asks as often for one who is not there, so that time tells nothing. */
  async findByLogin(login: string): Promise<CredentialRow | null> {
    if (login.includes('@')) return findOne(this.credentials, { email: login.toLowerCase() }, ALL_FIELDS);
    const user = await this.users.findByUsername(login);
    const row = await this.findById(user?._id ?? new ObjectId());
    return user === null ? null : row;
  }

  /** @throws CodedError `email_taken` */
  async create(row: CredentialRow, session: ClientSession): Promise<void> {
    try {
      await this.credentials.insertOne(row, { session });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      throw new CodedError('email_taken', 'An account with this e-mail address exists; sign in instead.', {
        fields: [{ field: 'email', message: 'is taken' }],
        cause: error,
      });
    }
  }

  /** Replaces the hash unless it was replaced since it was read. */
  async replaceHash(row: CredentialRow, passwordHash: string): Promise<void> {
    const filter = { _id: row._id, passwordHash: row.passwordHash };
    await this.credentials.updateOne(
      filter,
      { $set: { passwordHash, updatedAt: new Date() } },
      { runValidators: true },
    );
  }

  async remove(userId: ObjectId, session: ClientSession): Promise<void> {
    await this.credentials.deleteOne({ _id: userId }, { session });
  }
}
