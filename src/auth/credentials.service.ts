import { Injectable } from '@nestjs/common';
import { type ClientSession, type Collection, ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { UsersService } from '../users/users.service.js';
import { type CredentialRow, CREDENTIALS } from './credential.schema.js';

/** E-mail addresses and password hashes. */
@Injectable()
export class CredentialsService {
  private readonly credentials: Collection<CredentialRow>;

  constructor(
    mongo: MongoService,
    private readonly users: UsersService,
  ) {
    this.credentials = mongo.collection<CredentialRow>(CREDENTIALS);
  }

  async findById(userId: ObjectId): Promise<CredentialRow | null> {
    return this.credentials.findOne({ _id: userId });
  }

  /** By e-mail or by username, present or earlier. Asks as often for one who is not there, so that time tells nothing. */
  async findByLogin(login: string): Promise<CredentialRow | null> {
    if (login.includes('@')) return this.credentials.findOne({ email: login.toLowerCase() });
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

  /** Replaces the hash unless somebody else has meanwhile. */
  async replaceHash(row: CredentialRow, passwordHash: string): Promise<void> {
    const filter = { _id: row._id, passwordHash: row.passwordHash };
    await this.credentials.updateOne(filter, { $set: { passwordHash, updatedAt: new Date() } });
  }

  async remove(userId: ObjectId, session: ClientSession): Promise<void> {
    await this.credentials.deleteOne({ _id: userId }, { session });
  }
}
