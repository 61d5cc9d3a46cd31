import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { NEWS_MS } from '../auth/account-mails.js';
import { CredentialsService } from '../auth/credentials.service.js';
import { OneTimeTokensService } from '../auth/one-time-tokens.service.js';
import { BAN_APPEAL, BAN_EXPORT } from '../auth/token-kinds.js';
import { AppConfig } from '../config/app-config.js';
import { ACTIONS, type ActionKind, type TargetKind } from '../moderation/action-kinds.js';
import { type ModerationEntry, ModerationLogService } from '../moderation/moderation-log.service.js';
import { isTextTarget } from '../moderation/removed-texts.service.js';
import type { MailMessage } from '../platform/mail/mail-message.js';
import { MailService } from '../platform/mail/mail.service.js';
import { APPEAL_DAYS, APPEALABLE } from './appeal-rules.js';
import type { Transaction } from '../platform/mongo/transaction.js';

const MAILED = new Set<ActionKind>([...APPEALABLE, 'restore', 'unlock', 'lift', 'reject_appeal']);

const NAMES: Partial<Record<TargetKind, string>> = { user: 'account', media: 'image' };

/** What the reader can do. */
type Way = { title: string; page: string; token: string };
type Recorded = ModerationEntry & { _id: ObjectId };

/** Mails the affected account each action of moderators, with the reason, the end and the way to appeal. */
@Injectable()
export class ActionMailsService implements OnModuleInit {
  constructor(
    private readonly log: ModerationLogService,
    private readonly mails: MailService,
    private readonly credentials: CredentialsService,
    private readonly tokens: OneTimeTokensService,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.log.onRecord((entry, tx) => this.send(entry, tx));
  }

  /** Skips texts that a rule holds: the response says so. */
  private async send(entry: Recorded, tx: Transaction): Promise<void> {
    const { kind, ownerId, actorRole, targetKind } = entry;
    if (ownerId === undefined || !MAILED.has(kind) || (kind === 'remove' && actorRole === 'system')) return;
    const credential = await this.credentials.findById(ownerId, tx);
    if (credential === null) return;
    const ways = await this.waysOf(entry, ownerId, tx);
    const subject = subjectOf(entry);
    const end = entry.until ? ` until ${entry.until.toISOString()}` : '';
    const message: MailMessage = {
      to: credential.email,
      subject,
      paragraphs: [`${subject}${end}.`, ...reasonOf(entry), ...textsOf(entry), ...this.contact()],
      lists: this.asLists(ways),
      goodUntil: new Date(Date.now() + NEWS_MS),
      ifTooMany: kind === 'ban' ? 'send' : 'wait',
      countedAs: `moderation ${targetKind}`,
    };
    await this.mails.send(message, tx);
  }

  private async waysOf({ _id, kind }: Recorded, userId: ObjectId, tx: Transaction): Promise<Way[]> {
    const actionId = _id.toHexString();
    const once = `once, within ${APPEAL_DAYS} days`;
    if (kind !== 'ban') {
      const appeal = { title: `Appeal (${once})`, page: 'moderation#action=', token: actionId };
      return APPEALABLE.includes(kind) ? [appeal] : [];
    }
    return [
      {
        title: `Appeal without signing in (${once})`,
        page: 'appeal#token=',
        token: await this.tokens.issue(BAN_APPEAL, userId, { actionId }, tx),
      },
      {
        title: `Get the data of your account (${once})`,
        page: 'export#token=',
        token: await this.tokens.issue(BAN_EXPORT, userId, {}, tx),
      },
    ];
  }

  private contact(): string[] {
    const { contact } = this.config.moderation;
    return contact === undefined ? [] : [`Questions: ${contact}`];
  }

  private asLists(ways: Way[]): NonNullable<MailMessage['lists']> {
    const items = ways.map(({ title, page, token }) => ({
      title,
      link: `${this.config.site.mailPages}/${page}${token}`,
    }));
    return items.length === 0 ? [] : [{ title: 'What you can do:', items }];
  }
}

function subjectOf({ kind, targetKind }: Recorded): string {
  if (kind === 'lift') return 'The restriction of your account was lifted';
  if (kind === 'reject_appeal') return 'Your appeal was rejected';
  if (targetKind === 'user' && (kind === 'remove' || kind === 'restore'))
    return `Your posts, comments and collections were ${ACTIONS[kind]}`;
  if (targetKind === 'profile') return `Texts of your profile were ${ACTIONS[kind]}`;
  if (targetKind === 'note') return `Notes in your collection were ${ACTIONS[kind]}`;
  return `Your ${NAMES[targetKind] ?? targetKind} was ${ACTIONS[kind]}`;
}

/** Says which texts a removal has emptied, and a generated username, which signs in. */
function textsOf({ kind, targetKind, detail }: Recorded): string[] {
  return kind === 'remove' && isTextTarget(targetKind) && detail !== undefined ? [`Removed: ${detail}`] : [];
}

function reasonOf({ reasonCode, publicReason = '' }: Recorded): string[] {
  const reason = [reasonCode ?? '', publicReason].filter((part) => part !== '' && part !== 'other').join(': ');
  return reason === '' ? [] : [`Reason: ${reason}`];
}
