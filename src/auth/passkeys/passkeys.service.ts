import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { AccountMails } from '../account-mails.js';
import { PasswordsService } from '../passwords.service.js';
import type { ClientInfo } from '../client-info.js';
import { CredentialsService } from '../credentials.service.js';
import { OneTimeTokensService, type TokenKind } from '../one-time-tokens.service.js';
import { SignInMethods } from '../sign-in-methods.js';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { isDuplicateKey } from '../../platform/mongo/duplicate-key.js';
import { findMany } from '../../platform/mongo/lean-reads.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { UsersService } from '../../users/users.service.js';
import { ALGORITHMS, challengeOf, checkRegistration } from './ceremonies.js';
import {
  type AddPasskeyBody,
  MAX_PASSKEYS,
  type PasskeyCreationOptionsDto,
  type PasskeyDto,
} from './dto/passkey.dto.js';
import { Passkey } from './passkey.schema.js';

const REGISTRATION: TokenKind<Record<string, never>> = { name: 'passkey.registration', ttlMs: 300_000 };
const SITE_NAME = 'OpenCanvas';

/** Adds, lists, renames and deletes the passkeys of an account. Each challenge is a one-time token of the account. */
@Injectable()
export class PasskeysService implements OnModuleInit {
  private readonly site: AppConfig['auth']['passkeys'];

  constructor(
    private readonly mongo: MongoService,
    @InjectModel(Passkey.name) private readonly passkeys: Model<Passkey>,
    private readonly passwords: PasswordsService,
    private readonly credentials: CredentialsService,
    private readonly users: UsersService,
    private readonly tokens: OneTimeTokensService,
    private readonly methods: SignInMethods,
    private readonly mails: AccountMails,
    config: AppConfig,
  ) {
    this.site = config.auth.passkeys;
  }

  onModuleInit(): void {
    this.methods.register({
      count: (userId, tx) => this.passkeys.countDocuments({ userId }, { session: tx.session }),
      deleteAddedSince: (userId, since, tx) =>
        this.passkeys.deleteMany({ userId, createdAt: { $gte: since } }, { session: tx.session }),
    });
  }

  /**
   * Returns the options with which a browser creates a passkey.
   * @throws CodedError `invalid_credentials`, `recent_sign_in_required`, `too_many_passkeys`
   */
  async createOptions(
    viewer: Viewer,
    password: string | undefined,
    client: ClientInfo,
  ): Promise<PasskeyCreationOptionsDto> {
    const { _id } = await this.passwords.requireRecentProof(viewer, 'password', password, client);
    const { username, fullName } = await this.users.getById(_id);
    const present = await findMany(this.passkeys, { userId: _id }, { credentialId: 1 });
    if (present.length >= MAX_PASSKEYS) throw tooMany();
    const challenge = await this.mongo.transaction((tx) => this.tokens.issue(REGISTRATION, _id, {}, tx));
    return {
      challenge,
      rp: { id: this.site.id, name: SITE_NAME },
      user: { id: Buffer.from(_id.id).toString('base64url'), name: username, displayName: fullName },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: REGISTRATION.ttlMs,
      excludeCredentials: present.map(({ credentialId }) => ({
        type: 'public-key',
        id: Buffer.from(credentialId.buffer).toString('base64url'),
      })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    };
  }

  /** @throws CodedError `invalid_passkey`, `too_many_passkeys`, `user_not_found` */
  async add(viewer: Viewer, body: AddPasskeyBody): Promise<PasskeyDto> {
    const userId = viewer._id;
    const checked = await checkRegistration(body, this.site);
    if (checked === null) throw invalidPasskey();
    const row: Passkey = {
      _id: passkeyIdOf(checked.id),
      credentialId: new Binary(Buffer.from(checked.id, 'base64url')),
      userId,
      publicKey: new Binary(checked.publicKey),
      counter: checked.counter,
      transports: body.response.transports ?? [],
      name: body.name ?? 'Passkey',
      createdAt: new Date(),
      lastUsedAt: null,
    };
    await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      const challenge = await this.tokens.use(REGISTRATION, challengeOf(body.response.clientDataJSON), tx);
      if (challenge === null || !challenge.userId.equals(userId)) throw invalidPasskey();
      const account = await this.credentials.lock(userId, tx);
      if (account === null) throw new CodedError('user_not_found', 'The account was deleted.');
      if ((await this.passkeys.countDocuments({ userId }, { session: tx.session })) >= MAX_PASSKEYS) throw tooMany();
      try {
        await this.passkeys.insertOne(row, { session: tx.session });
      } catch (error) {
        if (isDuplicateKey(error)) throw invalidPasskey();
        throw error;
      }
      await this.mails.send('passkeyAdded', account.email, tx);
    });
    return toPasskey(row);
  }

  /** Returns the oldest passkey first. */
  async list(viewer: Viewer): Promise<PasskeyDto[]> {
    const fields = { name: 1, createdAt: 1, lastUsedAt: 1 } as const;
    const rows = await findMany(this.passkeys, { userId: viewer._id }, fields, { limit: MAX_PASSKEYS });
    return rows.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()).map(toPasskey);
  }

  /** @throws CodedError `passkey_not_found` */
  async rename(viewer: Viewer, _id: ObjectId, name: string): Promise<PasskeyDto> {
    const filter = { _id, userId: viewer._id };
    const row = await this.passkeys.findOneAndUpdate(filter, { $set: { name } }, { returnDocument: 'after' }).lean();
    if (row === null) throw passkeyNotFound();
    return toPasskey(row);
  }

  /** @throws CodedError `passkey_not_found`, `last_sign_in_method` */
  async delete(viewer: Viewer, _id: ObjectId): Promise<void> {
    const userId = viewer._id;
    await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      const { deletedCount } = await this.passkeys.deleteOne({ _id, userId }, { session: tx.session });
      if (deletedCount === 0) throw passkeyNotFound();
      await this.methods.requireOne(userId, tx);
      const account = await this.credentials.findById(userId);
      if (account !== null) await this.mails.send('passkeyRemoved', account.email, tx);
    });
  }
}

/** Returns the first 12 bytes of the SHA-256 of a credential id. Of two ids with the same bytes, only one can be added. */
export function passkeyIdOf(credentialId: string): ObjectId {
  return new ObjectId(createHash('sha256').update(Buffer.from(credentialId, 'base64url')).digest().subarray(0, 12));
}

function toPasskey(row: Pick<Passkey, '_id' | 'name' | 'createdAt' | 'lastUsedAt'>): PasskeyDto {
  const { _id, name, createdAt, lastUsedAt } = row;
  return {
    id: _id.toHexString(),
    name,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

function invalidPasskey(): CodedError {
  const detail =
    'The passkey was not created with the current options of this account, or it is registered already. Request new options.';
  return new CodedError('invalid_passkey', detail);
}

function tooMany(): CodedError {
  return new CodedError('too_many_passkeys', `An account has at most ${MAX_PASSKEYS} passkeys. Delete one first.`);
}

function passkeyNotFound(): CodedError {
  return new CodedError('passkey_not_found', 'Passkey not found.');
}
