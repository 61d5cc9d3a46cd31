import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, type ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { networkOf, wideNetworkOf } from '../common/networks.js';
import { AppConfig } from '../config/app-config.js';
import type { TokenSecrets } from '../config/token-secrets.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { AccountNetwork, BY_NETWORK } from './account-network.schema.js';

const STORED_MS = 30 * 86_400_000;
const HASH_BYTES = 16;
/** of one account; a further ban drops the oldest */
const MAX_NETWORKS = 10;

/** The networks from which accounts registered, and those that are banned with an account. Both are forgotten after 30 days. */
@Injectable()
export class AccountNetworksService {
  private readonly secrets: TokenSecrets;

  constructor(
    config: AppConfig,
    @InjectModel(AccountNetwork.name) private readonly rows: Model<AccountNetwork>,
  ) {
    this.secrets = config.auth.tokenSecrets;
  }

  /** Records the network of a registration in its transaction. */
  async add(_id: ObjectId, address: string, tx: Transaction): Promise<void> {
    const networks = [hashOf(this.secrets[0], networksOf(address)[0]!)];
    const expiresAt = new Date(Date.now() + STORED_MS);
    await this.rows.insertOne({ _id, networks, bannedUntil: null, expiresAt }, { session: tx.session });
  }

  async isBanned(address: string, tx: Transaction): Promise<boolean> {
    const filter = { networks: { $in: this.hashesOf(networksOf(address)) }, bannedUntil: { $gt: new Date() } };
    return (await findOne(this.rows, filter, { _id: 1 }, { session: tx.session })) !== null;
  }

  /**
   * Bans the network of the account's registration, if it is stored, and further ones, for 30 days at most.
   * @param networks of its sessions, as `wideNetworkOf` returns them
   */
  async ban(userId: ObjectId, networks: readonly string[], until: Date | null, tx: Transaction): Promise<void> {
    const expiresAt = new Date(Date.now() + STORED_MS);
    const stored =
      (await findOne(this.rows, { _id: userId }, { networks: 1 }, { session: tx.session }))?.networks ?? [];
    const added = networks.map((network) => hashOf(this.secrets[0], network));
    const all = new Map([...stored, ...added].map((hash) => [hash.toString('hex'), hash]));
    const $set = {
      networks: [...all.values()].slice(-MAX_NETWORKS),
      bannedUntil: until === null || until > expiresAt ? expiresAt : until,
      expiresAt,
    };
    await this.rows.updateOne({ _id: userId }, { $set }, { session: tx.session, upsert: true });
  }

  async lift(userId: ObjectId, tx: Transaction): Promise<void> {
    await this.rows.updateOne(
      { _id: userId, bannedUntil: { $ne: null } },
      { $set: { bannedUntil: null } },
      { session: tx.session },
    );
  }

  /**
   * Returns the latest accounts and pending registrations that share a network with an account.
   * @param networks of its sessions, as `wideNetworkOf` returns them
   */
  async listSharing(userId: ObjectId, networks: readonly string[], limit: number): Promise<ObjectId[]> {
    const stored = (await findOne(this.rows, { _id: userId }, { networks: 1 }))?.networks ?? [];
    const filter = { networks: { $in: [...stored, ...this.hashesOf(networks)] }, _id: { $ne: userId } };
    const rows = await findMany(this.rows, filter, { _id: 1 }, { sort: { _id: -1 }, limit, hint: BY_NETWORK });
    return rows.map(({ _id }) => _id);
  }

  /** Deletes the networks of a rejected registration. */
  async delete(userId: ObjectId, tx: Transaction): Promise<void> {
    await this.rows.deleteOne({ _id: userId }, { session: tx.session });
  }

  /** Returns the hashes by all secrets, because a row may be older than the latest secret. */
  private hashesOf(networks: readonly string[]): Binary[] {
    return this.secrets.flatMap((secret) => networks.map((network) => hashOf(secret, network)));
  }
}

/** Returns the networks that contain an address, narrowest first: /24, of IPv6 /64 and /48. */
function networksOf(address: string): string[] {
  const wide = wideNetworkOf(address);
  return wide.includes(':') ? [networkOf(address), wide] : [wide];
}

function hashOf(secret: string, network: string): Binary {
  const mac = createHmac('sha256', `account-network:${secret}`).update(network).digest();
  return new Binary(mac.subarray(0, HASH_BYTES));
}
