import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CredentialsService } from '../../auth/credentials.service.js';
import { uniqueIds } from '../../common/unique-ids.js';
import { AppConfig } from '../../config/app-config.js';
import type { MailMessage } from '../../platform/mail/mail-message.js';
import { MailService } from '../../platform/mail/mail.service.js';
import { SiteSettingsService } from '../../platform/site-settings/site-settings.service.js';
import { PostsService } from '../../posts/posts.service.js';
import { isBanned } from '../../users/standing.js';
import { UserAccountsService } from '../../users/user-accounts.service.js';
import { UsersService } from '../../users/users.service.js';
import { mailTexts, nameOfKind, sentenceOf } from './mail-texts.js';
import type { NotificationKind } from '../notification-kinds.js';
import type { NotificationEntry } from '../notification-recipients.service.js';
import { type MailSubject, UnsubscribeLinks } from './unsubscribe-links.js';
import type { Transaction } from '../../platform/mongo/transaction.js';

/** A mail that is still queued after this time is dropped. */
const MAIL_TTL_MS = 24 * 3_600_000;

type MailedEntry = Pick<NotificationEntry, 'userId' | 'kind' | 'actorId' | 'targetId' | 'postId'>;
type Recipient = { userId: ObjectId; to: string; language: string };

/** Queues mails to verified addresses in the caller's transaction. Drops mails above five per hour and kind. */
@Injectable()
export class NotificationMailsService implements OnModuleInit {
  private readonly site: AppConfig['site'];

  constructor(
    private readonly mails: MailService,
    private readonly links: UnsubscribeLinks,
    private readonly users: UsersService,
    private readonly accounts: UserAccountsService,
    private readonly posts: PostsService,
    private readonly credentials: CredentialsService,
    private readonly settings: SiteSettingsService,
    { site }: AppConfig,
  ) {
    this.site = site;
  }

  onModuleInit(): void {
    this.mails.checkRecipientsWith(async (id) => {
      const reader = await this.accounts.actor(ObjectId.createFromHexString(id));
      return reader !== null && !isBanned(reader);
    });
  }

  /** Queues one mail per entry, with the name of its account and the title of its post. */
  async send(of: readonly MailedEntry[], tx: Transaction): Promise<void> {
    if (of.length === 0) return;
    const recipients = await this.recipientsOf(
      of.map(({ userId }) => userId),
      tx,
    );
    const [actors, titles] = [
      await this.users.findAuthors(uniqueIds(of.map(({ actorId }) => actorId))),
      await this.posts.findTitles(uniqueIds(of.map(({ postId, targetId }) => postId ?? targetId)), tx),
    ];
    const messages = of.flatMap(({ userId, kind, actorId, targetId, postId }): MailMessage[] => {
      const recipient = recipients.get(userId.toHexString());
      if (recipient === undefined) return [];
      const actor = actors.get(actorId.toHexString());
      const name = actor?.fullName || actor?.username;
      const title = titles.get((postId ?? targetId).toHexString());
      const subject = sentenceOf(recipient.language, kind, { name, title });
      const link = this.site.url === undefined ? {} : { link: `${this.site.url}/notifications` };
      return [this.messageTo(recipient, kind, { subject, paragraphs: [`${subject}.`], ...link })];
    });
    await this.mails.sendMany(messages, tx);
  }

  /** Queues a digest, unless the account has no verified address now. */
  async sendDigest(userId: ObjectId, sections: DigestSections, tx: Transaction): Promise<void> {
    const recipient = (await this.recipientsOf([userId], tx)).get(userId.toHexString());
    if (recipient === undefined) return;
    const texts = mailTexts(recipient.language);
    const home = this.site.url ?? this.site.api;
    const lists = [
      {
        title: texts.unread,
        items: sections.unread.map(({ kind, post }) => toItem(nameOfKind(recipient.language, kind), post)),
      },
      { title: texts.posts, items: sections.posts.map((post) => toItem('', post)) },
    ].filter(({ items }) => items.length > 0);
    const { name } = await this.settings.get();
    const content = { subject: `${texts.digest}: ${name}`, paragraphs: [], lists };
    await this.mails.sendMany([this.messageTo(recipient, 'digest', content)], tx);

    function toItem(label: string, post: DigestPost | null): { title: string; link: string } {
      const title = [label, post?.title ?? ''].filter((part) => part !== '').join(': ');
      return { title, link: post === null ? home : `${home}/p/${post.slug}` };
    }
  }

  private messageTo(
    { userId, to, language }: Recipient,
    from: MailSubject,
    content: Pick<MailMessage, 'subject' | 'paragraphs' | 'link' | 'lists'>,
  ): MailMessage {
    const unsubscribe = this.links.to({ userId: userId.toHexString(), from });
    return {
      ...{ to, account: userId.toHexString() },
      ...content,
      footer: mailTexts(language).unsubscribe,
      unsubscribe,
      goodUntil: new Date(Date.now() + MAIL_TTL_MS),
      ifTooMany: 'drop',
      countedAs: `notification ${from}`,
    };
  }

  /** Returns the recipients with a verified address, by hex id of the account. A banned account gets mails about the account only. */
  private async recipientsOf(ids: ObjectId[], tx: Transaction): Promise<Map<string, Recipient>> {
    const userIds = uniqueIds(ids);
    const addresses = await this.credentials.findVerified(userIds, tx);
    const users = await this.users.findParts(userIds, ['settings', 'standing'], tx);
    return new Map(
      users.flatMap(({ _id: userId, settings: { language }, standing }) => {
        const to = addresses.get(userId.toHexString());
        return to === undefined || isBanned({ standing })
          ? []
          : [[userId.toHexString(), { userId, to, language }] as const];
      }),
    );
  }
}

export type DigestPost = { title: string; slug: string };
export type DigestSections = { unread: { kind: NotificationKind; post: DigestPost | null }[]; posts: DigestPost[] };
