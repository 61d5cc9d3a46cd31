import type { NotificationKind } from '../notification-id.js';

/** Texts of notification mails, per language. Mails of single kinds contain no text written by users. */
type Texts = {
  kinds: Record<NotificationKind, string>;
  digest: string;
  unread: string;
  posts: string;
  unsubscribe: string;
  /** on the unsubscribe page; `{what}` is replaced by a kind or the digest */
  question: string;
  confirm: string;
  done: string;
};

const TEXTS = {
  en: {
    kinds: {
      comment: 'New comment on your post',
      reply: 'New reply to your comment',
      watched: 'New comment on a post you watch',
      mention: 'You were mentioned',
      follow: 'New follower',
      like_post: 'New like of your post',
      like_comment: 'New like of your comment',
      collected: 'Your post was put into a collection',
      new_post: 'New post of an account with a bell',
      draft_published: 'Your scheduled draft was published',
      draft_failed: 'Your scheduled draft could not be published',
      moderation: 'A moderator acted on your account or content',
      case: 'New reports for moderators',
    },
    digest: 'Your digest',
    unread: 'Unread notifications:',
    posts: 'Posts of accounts you follow:',
    unsubscribe: 'You chose to get this mail. Unsubscribe:',
    question: 'Stop mails of the kind "{what}"?',
    confirm: 'Unsubscribe',
    done: 'You no longer get mails of the kind "{what}".',
  },
  de: {
    kinds: {
      comment: 'Neuer Kommentar zu deinem Beitrag',
      reply: 'Neue Antwort auf deinen Kommentar',
      watched: 'Neuer Kommentar zu einem Beitrag, den du beobachtest',
      mention: 'Du wurdest erwähnt',
      follow: 'Neuer Follower',
      like_post: 'Dein Beitrag gefällt',
      like_comment: 'Dein Kommentar gefällt',
      collected: 'Dein Beitrag ist in einer Sammlung',
      new_post: 'Neuer Beitrag eines Kontos mit Glocke',
      draft_published: 'Dein geplanter Entwurf wurde veröffentlicht',
      draft_failed: 'Dein geplanter Entwurf konnte nicht veröffentlicht werden',
      moderation: 'Moderation deines Kontos oder deiner Inhalte',
      case: 'Neue Meldungen für die Moderation',
    },
    digest: 'Deine Übersicht',
    unread: 'Ungelesene Benachrichtigungen:',
    posts: 'Beiträge von Konten, denen du folgst:',
    unsubscribe: 'Du hast diese Mail bestellt. Abbestellen:',
    question: 'Mails der Art „{what}“ abbestellen?',
    confirm: 'Abbestellen',
    done: 'Du bekommst keine Mails der Art „{what}“ mehr.',
  },
} as const satisfies Record<string, Texts>;

export type MailLanguage = keyof typeof TEXTS;

/**
 * Returns the language of the texts. Falls back to English.
 * @param language a language tag; only its primary part counts: `de-AT` is German
 */
export function mailLanguage(language: string): MailLanguage {
  const [primary] = language.split('-');
  return primary === 'de' ? 'de' : 'en';
}

export function mailTexts(language: string): Texts & { language: MailLanguage } {
  const known = mailLanguage(language);
  return { ...TEXTS[known], language: known };
}
