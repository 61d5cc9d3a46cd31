import type { ObjectId } from 'mongodb';
import type { ActorRange, IdRange } from '../activity/actor-range.js';
import { itemRange } from '../collections/item-range.js';
import { commentMentioning, commentRange, replyRange } from '../comments/comment-range.js';
import { namedValues } from '../common/named-values.js';
import { followRange } from '../follows/follow-range.js';
import { likeRange } from '../interactions/like-range.js';
import { postMentioning } from '../posts/mention-range.js';

/** What a group is about. `postId` is the post of a comment, and null for other targets. */
type GroupTarget = { userId: ObjectId; targetId: ObjectId; postId: ObjectId | null };

export type KindOptions = {
  /** part of the primary key, must never change */
  byte: number;
  /** the target; a mention is also in a comment */
  on: 'post' | 'comment' | 'account' | 'draft' | 'action' | 'case';
  /** The latest row of the group is shown with it. */
  latest?: 'comment' | 'collection';
  /** the rows with the accounts that acted; absent for kinds that list none */
  rows?: (target: GroupTarget, range: IdRange) => ActorRange;
  /** The author of the post is the only account. */
  isByAuthor?: true;
  /** The setting `from` does not apply, because it concerns the account itself or a subscription. */
  isFromAnyone?: true;
  /** A deleted group keeps its row, so that it is not created again. */
  isOnce?: true;
  /** of the setting, in the OpenAPI document */
  description: string;
  /** by language: what a mail calls the kind, and its sentence with `{name}` and `{title}` */
  texts: Record<'en' | 'de', [kind: string, sentence?: string]>;
};

const likes = ({ targetId, userId }: GroupTarget, range: IdRange): ActorRange => likeRange(targetId, range, userId);
const comments = ({ targetId, userId }: GroupTarget, range: IdRange): ActorRange =>
  commentRange(targetId, null, range, userId);

const KINDS = {
  comment: {
    byte: 1,
    on: 'post',
    latest: 'comment',
    rows: comments,
    description: 'comments on my posts',
    texts: {
      en: ['New comment on your post', '{name} commented on “{title}”'],
      de: ['Neuer Kommentar zu deinem Beitrag', '{name} hat „{title}“ kommentiert'],
    },
  },
  reply: {
    byte: 2,
    on: 'comment',
    latest: 'comment',
    rows: ({ targetId, postId, userId }, range) => commentRange(postId!, targetId, range, userId),
    description: 'replies to my comments',
    texts: {
      en: ['New reply to your comment', '{name} replied to your comment on “{title}”'],
      de: ['Neue Antwort auf deinen Kommentar', '{name} hat auf deinen Kommentar zu „{title}“ geantwortet'],
    },
  },
  watched: {
    byte: 3,
    on: 'post',
    latest: 'comment',
    rows: comments,
    description: 'comments on posts I watch',
    texts: {
      en: ['New comment on a post you watch', '{name} commented on “{title}”, which you watch'],
      de: [
        'Neuer Kommentar zu einem Beitrag, den du beobachtest',
        '{name} hat „{title}“ kommentiert; du beobachtest den Beitrag',
      ],
    },
  },
  follow: {
    byte: 4,
    on: 'account',
    rows: ({ targetId }, range) => followRange(targetId, range),
    description: 'new followers',
    texts: { en: ['New follower', '{name} follows you'], de: ['Neuer Follower', '{name} folgt dir'] },
  },
  like_post: {
    byte: 5,
    on: 'post',
    rows: likes,
    description: 'likes of my posts',
    texts: {
      en: ['New like of your post', '{name} likes “{title}”'],
      de: ['Dein Beitrag gefällt', '{name} gefällt „{title}“'],
    },
  },
  like_comment: {
    byte: 6,
    on: 'comment',
    rows: likes,
    description: 'likes of my comments',
    texts: {
      en: ['New like of your comment', '{name} likes your comment on “{title}”'],
      de: ['Dein Kommentar gefällt', '{name} gefällt dein Kommentar zu „{title}“'],
    },
  },
  collected: {
    byte: 7,
    on: 'post',
    latest: 'collection',
    rows: ({ targetId }, range) => itemRange(targetId, range),
    description: 'my posts in public collections of others',
    texts: {
      en: ['Your post was put into a collection', '{name} put “{title}” into a collection'],
      de: ['Dein Beitrag ist in einer Sammlung', '{name} hat „{title}“ in eine Sammlung gelegt'],
    },
  },
  new_post: {
    byte: 8,
    on: 'post',
    isByAuthor: true,
    isFromAnyone: true,
    isOnce: true,
    description: 'new posts of accounts with a bell',
    texts: {
      en: ['New post of an account with a bell', '{name} published “{title}”'],
      de: ['Neuer Beitrag eines Kontos mit Glocke', '{name} hat „{title}“ veröffentlicht'],
    },
  },
  draft_published: {
    byte: 9,
    on: 'post',
    isFromAnyone: true,
    description: 'my scheduled drafts that were published',
    texts: {
      en: ['Your scheduled draft was published', '“{title}” was published as scheduled'],
      de: ['Dein geplanter Entwurf wurde veröffentlicht', '„{title}“ wurde wie geplant veröffentlicht'],
    },
  },
  draft_failed: {
    byte: 10,
    on: 'draft',
    isFromAnyone: true,
    description: 'my scheduled drafts that could not be published',
    texts: {
      en: ['Your scheduled draft could not be published'],
      de: ['Dein geplanter Entwurf konnte nicht veröffentlicht werden'],
    },
  },
  mention: {
    byte: 11,
    on: 'post',
    rows: ({ targetId, postId, userId }) =>
      postId === null ? postMentioning(userId, targetId) : commentMentioning(userId, targetId),
    isOnce: true,
    description: 'posts and comments that mention me',
    texts: {
      en: ['You were mentioned', '{name} mentioned you in “{title}”'],
      de: ['Du wurdest erwähnt', '{name} hat dich in „{title}“ erwähnt'],
    },
  },
  moderation: {
    byte: 12,
    on: 'action',
    isFromAnyone: true,
    description: 'actions of moderators on my account and content, and decisions about my appeals',
    texts: {
      en: ['A moderator acted on your account or content'],
      de: ['Moderation deines Kontos oder deiner Inhalte'],
    },
  },
  case: {
    byte: 13,
    on: 'case',
    isFromAnyone: true,
    description: 'new cases of reports, for moderators',
    texts: { en: ['New reports for moderators'], de: ['Neue Meldungen für die Moderation'] },
  },
  thread: {
    byte: 14,
    on: 'post',
    latest: 'comment',
    rows: ({ targetId, userId }, range) => replyRange(targetId, range, userId),
    description: 'replies to the comments of others on my posts, and on those that `threads` adds',
    texts: {
      en: ['New reply to a comment on your post', '{name} replied to a comment on “{title}”'],
      de: [
        'Neue Antwort auf einen Kommentar zu deinem Beitrag',
        '{name} hat auf einen Kommentar zu „{title}“ geantwortet',
      ],
    },
  },
} as const satisfies Record<string, KindOptions>;

export type NotificationKind = keyof typeof KINDS;
export const NOTIFICATION_KINDS = namedValues('NotificationKind', Object.keys(KINDS) as NotificationKind[]);

/** The kinds of notifications. A new kind is an entry here, and its recipients in NotificationRecipientsService. */
export const KIND_OPTIONS: Readonly<Record<NotificationKind, KindOptions>> = KINDS;
