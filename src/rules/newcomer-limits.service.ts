import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { hostOfAddress, hostsIn, namesSite } from '../common/links.js';
import { AppConfig } from '../config/app-config.js';
import { isNewcomer, type Viewer } from '../platform/access/viewer.js';
import type { CheckedText } from './rule-matcher.js';

const DAY_MS = 86_400_000;
const MAX_LINKS = 2;
/** in any 24 hours */
const MAX_PER_DAY = { posts: 5, comments: 30 } as const;

type Account = Pick<Viewer, 'id' | 'role'>;

/** The limits of accounts younger than NEWCOMER_DAYS. Moderators and admins have none. The id of an account contains its age. */
@Injectable()
export class NewcomerLimitsService {
  private readonly newcomerMs: number;
  private readonly ownHosts: ReadonlySet<string>;

  constructor({ newcomers, site, media }: AppConfig) {
    this.newcomerMs = newcomers.ms;
    this.ownHosts = new Set([site.api, site.url ?? '', media.filesUrl].flatMap((own) => hostOfAddress(own) ?? []));
  }

  /**
   * @param findLatest returns the times of the latest posts or comments since a time, latest first
   * @throws CodedError `newcomer_limit`; concurrent requests may exceed the limit slightly, which is acceptable
   */
  async requireCapacity(
    account: Account,
    kind: keyof typeof MAX_PER_DAY,
    findLatest: (since: Date, limit: number) => Promise<Date[]>,
  ): Promise<void> {
    if (!this.isNewcomer(account)) return;
    const max = MAX_PER_DAY[kind];
    const times = await findLatest(new Date(Date.now() - DAY_MS), max);
    if (times.length < max) return;
    const endsAt = times.at(-1)!.getTime() + DAY_MS;
    const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000));
    const detail = `A new account writes at most ${max} ${kind} in 24 hours. Try again in ${retryAfterSeconds} s.`;
    throw new CodedError('newcomer_limit', detail, { retryAfterSeconds });
  }

  /**
   * @param account null: one that registers
   * @param otherImages fields with images of other sites
   * @throws CodedError `newcomer_content`
   */
  requirePlain(account: Account | null, texts: readonly CheckedText[], otherImages: readonly string[] = []): void {
    if (account === null ? this.newcomerMs === 0 : !this.isNewcomer(account)) return;
    const [image] = otherImages;
    if (image !== undefined) throw refusal(image, 'must not show images of other sites: upload them');
    for (const checked of texts) {
      if (checked.field === 'fullName' && namesSite(checked.text))
        throw refusal('fullName', 'must not contain a link or the name of a site');
      if (!checked.isUrl && this.linksIn(checked) > MAX_LINKS)
        throw refusal(checked.field, `must have at most ${MAX_LINKS} links`);
    }
  }

  /** Refuses until the account is old enough. @throws CodedError `newcomer_limit` */
  requireNoNewcomer(account: Account, rule: string): void {
    if (!this.isNewcomer(account)) return;
    const createdAt = ObjectId.createFromHexString(account.id).getTimestamp().getTime();
    const retryAfterSeconds = Math.max(1, Math.ceil((createdAt + this.newcomerMs - Date.now()) / 1_000));
    throw new CodedError('newcomer_limit', `${rule} Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds });
  }

  isNewcomer(account: Account): boolean {
    return isNewcomer(account, this.newcomerMs);
  }

  private linksIn({ text, hosts = hostsIn(text) }: CheckedText): number {
    return hosts.filter((host) => !this.ownHosts.has(host)).length;
  }
}

function refusal(field: string, rule: string): CodedError {
  const message = `${rule}, because the account is new`;
  return new CodedError('newcomer_content', `${field} ${message}.`, { fields: [{ field, message }] });
}
