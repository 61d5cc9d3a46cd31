import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { randomInt } from 'node:crypto';
import { NEWS_MS } from '../account-mails.js';
import { AdmissionService } from '../admission.service.js';
import { AccountCreationService } from '../account-creation.service.js';
import { CredentialsService } from '../credentials.service.js';
import { OneTimeTokensService, type TokenKind } from '../one-time-tokens.service.js';
import { SignInMethods } from '../sign-in-methods.js';
import { CodedError } from '../../common/errors.js';
import { namesSite } from '../../common/links.js';
import { MailService } from '../../platform/mail/mail.service.js';
import { isDuplicateKey } from '../../platform/mongo/duplicate-key.js';
import { findMany, findOne } from '../../platform/mongo/lean-reads.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import type { Transaction } from '../../platform/mongo/transaction.js';
import { isFullName } from '../../users/profile-rules.js';
import { isReservedUsername } from '../../users/reserved-names.js';
import type { IdentityDto } from './dto/identity.dto.js';
import { Identity } from './identity.schema.js';
import type { Person } from './oidc-providers.js';
import { isRefusalReason, ProviderRefusal } from './provider-refusal.js';

const FIELDS = { userId: 1, email: 1, createdAt: 1, lastUsedAt: 1 } as const;
/** The code that a client exchanges for a session. */
export const SIGN_IN_CODE: TokenKind<Record<string, never>> = { name: 'oidc-sign-in', ttlMs: 60_000 };
/** Maximum attempts while concurrent requests take the name or the identity. */
const MAX_ATTEMPTS = 5;

/** Manages the identities at providers that sign in to an account. */
@Injectable()
export class IdentitiesService {
  constructor(
    @InjectModel(Identity.name) private readonly identities: Model<Identity>,
    private readonly mongo: MongoService,
    private readonly creation: AccountCreationService,
    private readonly admission: AdmissionService,
    private readonly credentials: CredentialsService,
    private readonly tokens: OneTimeTokensService,
    private readonly mails: MailService,
    private readonly methods: SignInMethods,
  ) {
    methods.register({
      count: (userId, tx) => this.identities.countDocuments({ userId }, { session: tx.session }),
      deleteAddedSince: (userId, since, tx) =>
        this.identities.deleteMany({ userId, createdAt: { $gte: since } }, { session: tx.session }),
    });
  }

  async listOf(userId: ObjectId): Promise<IdentityDto[]> {
    const rows = await findMany(this.identities, { userId }, FIELDS);
    return rows.sort((a, b) => (a._id < b._id ? -1 : 1)).map(toIdentity);
  }

  /**
   * Returns a code for the account of the person, and creates the account if there is none and REGISTRATION allows it.
   * @throws ProviderRefusal `email_not_verified`, `email_taken`, `mail_domain_refused`, `registration_closed`, `invalid_invite`,
   * `rate_limited`, `approval_pending`
   */
  async signIn(person: Person, address: string, invite?: string): Promise<string> {
    const begin = (): Promise<string | null> => this.begin(person, address, invite);
    try {
      const code = (await this.isNew(person)) ? await this.admission.count(address, begin) : await begin();
      if (code === null) throw new ProviderRefusal('approval_pending');
      return code;
    } catch (error) {
      // REGISTRATION or a limit refuses the account, or another account reserves the address.
      throw error instanceof CodedError && isRefusalReason(error.code) ? new ProviderRefusal(error.code, error) : error;
    }
  }

  /** Whether a sign-in may create an account, or a registration for a moderator. */
  private async isNew({ identity, email }: Person): Promise<boolean> {
    if (email === null || (await findOne(this.identities, { _id: identity }, { _id: 1 })) !== null) return false;
    return !(await this.credentials.isTaken(email, new ObjectId())) && !(await this.admission.isPending(identity));
  }

  /** Returns a code, or null if a moderator must decide. */
  private async begin(person: Person, address: string, invite: string | undefined): Promise<string | null> {
    let { name } = person;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.mongo.transaction(async (tx) => {
          const userId = await this.accountOf({ ...person, name }, address, invite, tx);
          return userId === null ? null : this.tokens.issue(SIGN_IN_CODE, userId, {}, tx);
        });
      } catch (error) {
        const code = error instanceof CodedError ? error.code : '';
        const isTaken = ['username_taken', 'email_taken'].includes(code) || isDuplicateKey(error);
        // A rule for texts rejects the name at the provider, so the account gets a neutral one.
        const isRejected = code === 'content_rejected' && name !== '';
        if (isRejected) name = '';
        if (attempt === MAX_ATTEMPTS || !(isTaken || isRejected)) throw error;
      }
    }
  }

  /** Idempotent. @throws CodedError `identity_taken`: an identity has one account, and an account one identity at each provider */
  async link(userId: ObjectId, { identity, email }: Person, tx: Transaction): Promise<IdentityDto> {
    const credential = await this.credentials.lock(userId, tx);
    if (credential === null) throw new CodedError('user_not_found', 'The account was deleted.');
    const existing = await findOne(this.identities, { _id: identity }, FIELDS, { session: tx.session });
    if (existing?.userId.equals(userId)) return toIdentity(existing);
    const linked = await findMany(this.identities, { userId }, { _id: 1 }, { session: tx.session });
    if (existing !== null || linked.some(({ _id }) => providerOf(_id) === providerOf(identity)))
      throw new CodedError(
        'identity_taken',
        'The identity is linked to another account, or your account to another identity of this provider.',
      );
    const row = await this.insert(identity, userId, email, tx);
    await this.credentials.setLinked(userId, providerOf(identity), true, tx);
    await this.notifyOwner(credential.email, 'was added to', identity, tx);
    return toIdentity(row);
  }

  /** @throws CodedError `identity_not_found`, `last_sign_in_method` */
  async unlink(userId: ObjectId, provider: string): Promise<void> {
    await this.mongo.serializedTransaction(userId.toHexString(), async (tx) => {
      const credential = await this.credentials.lock(userId, tx);
      const linked = await findMany(this.identities, { userId }, { _id: 1 }, { session: tx.session });
      const found = linked.find(({ _id }) => providerOf(_id) === provider);
      if (credential === null || found === undefined)
        throw new CodedError('identity_not_found', 'Your account is not linked to this provider.');
      await this.identities.deleteOne({ _id: found._id }, { session: tx.session });
      await this.credentials.setLinked(userId, provider, false, tx);
      await this.methods.requireOne(userId, tx);
      await this.tokens.deleteOf(userId, tx, SIGN_IN_CODE);
      await this.notifyOwner(credential.email, 'was removed from', found._id, tx);
    });
  }

  /** Returns null if a moderator must decide. */
  private async accountOf(
    person: Person,
    address: string,
    invite: string | undefined,
    tx: Transaction,
  ): Promise<ObjectId | null> {
    const { identity, email, name } = person;
    const known = await findOne(this.identities, { _id: identity }, FIELDS, { session: tx.session });
    if (known !== null) {
      await this.identities.updateOne(
        { _id: identity },
        { $set: { email, lastUsedAt: new Date() } },
        { session: tx.session },
      );
      return known.userId;
    }
    if (email === null) throw new ProviderRefusal('email_not_verified');
    // Reads the snapshot of the transaction: the next attempt finds an account created since, with its identity.
    const owner = await this.credentials.findByEmail(email, tx);
    if (owner !== null) {
      const wasUnlinked = owner.unlinkedProviders?.includes(providerOf(identity)) === true;
      if (!(owner.emailVerifiedAt instanceof Date) || wasUnlinked) throw new ProviderRefusal('email_taken');
      await this.linkOwner(owner._id, person, tx);
      return owner._id;
    }
    await this.admission.requireMailDomain(email);
    const username = usernameFor(name);
    const fullName = fullNameFor(name, username);
    const account = { username, fullName, email, passwordHash: null, emailVerifiedAt: new Date() };
    if (!(await this.admission.admit(invite, address, tx))) {
      const applicant = { username, fullName, email, passwordHash: null, identity, reason: '' };
      await this.admission.apply(applicant, address, tx);
      return null;
    }
    const { credential } = await this.creation.create(account, tx);
    await this.admission.recordNetwork(credential._id, address, tx);
    await this.insert(identity, credential._id, email, tx);
    return credential._id;
  }

  /** Refuses an account with another identity at the provider: its address may have a new owner. */
  private async linkOwner(userId: ObjectId, person: Person, tx: Transaction): Promise<void> {
    try {
      await this.link(userId, person, tx);
    } catch (error) {
      throw error instanceof CodedError ? new ProviderRefusal('email_taken', error) : error;
    }
  }

  /** Links an identity to a new account. */
  async insert(_id: string, userId: ObjectId, email: string | null, tx: Transaction): Promise<Identity> {
    const now = new Date();
    const row: Identity = { _id, userId, email, createdAt: now, lastUsedAt: now };
    await this.identities.insertOne(row, { session: tx.session });
    return row;
  }

  private async notifyOwner(to: string, what: string, identity: string, tx: Transaction): Promise<void> {
    const message = {
      to,
      subject: `A sign-in provider ${what} your account`,
      paragraphs: [
        `The sign-in provider “${providerOf(identity)}” ${what} your account.`,
        'If this was not you, choose a new password, which ends all sessions, and check the linked providers of your account.',
      ],
      goodUntil: new Date(Date.now() + NEWS_MS),
      ifTooMany: 'wait' as const,
    };
    await this.mails.send(message, tx);
  }
}

function providerOf(identity: string): string {
  return identity.slice(0, identity.indexOf(':'));
}

function toIdentity({ _id, email, createdAt, lastUsedAt }: Identity): IdentityDto {
  return {
    provider: providerOf(_id),
    email,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
  };
}

const FALLBACK = 'reader';
const MAX_SLUG = 11;
const MIN_SLUG = 3;

/** Returns a username that is probably available: the Latin letters of the name, and a number. */
function usernameFor(name: string): string {
  const latin = name.slice(0, 200).normalize('NFKD').toLowerCase();
  const words = latin.replace(/\p{M}/gu, '').match(/[a-z0-9]+/g) ?? [];
  const slug = words.join('_').slice(0, MAX_SLUG).replace(/_$/, '');
  const isFit = slug.length >= MIN_SLUG && /[a-z]/.test(slug) && !isReservedUsername(slug);
  return `${isFit ? slug : FALLBACK}${randomInt(1_000, 100_000)}`;
}

/** Returns the name at the provider, if it is valid here. */
function fullNameFor(name: string, username: string): string {
  const tidy = name.trim().normalize('NFC');
  return isFullName(tidy) && !namesSite(tidy) ? tidy : username;
}
