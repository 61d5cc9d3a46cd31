import type { NotificationKind } from '../notification-id.js';

/** Kinds whose mails name an account, a post, or both. */
type NamedKind = Exclude<NotificationKind, 'draft_failed' | 'moderation' | 'case'>;

/** Texts of notification mails, per language. */
type Texts = {
  kinds: Record<NotificationKind, string>;
  /** sentences with `{name}` and `{title}` */
  sentences: Record<NamedKind, string>;
  digest: string;
  unread: string;
  posts: string;
  unsubscribe: string;
  /** on the unsubscribe page; `{what}` is replaced by a kind or the digest */
  question: string;
  confirm: string;
  done: string;
};

const MAX_PART = 80;

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
      thread: 'New reply to a comment on your post',
    },
    sentences: {
      comment: '{name} commented on “{title}”',
      reply: '{name} replied to your comment on “{title}”',
      watched: '{name} commented on “{title}”, which you watch',
      mention: '{name} mentioned you in “{title}”',
      follow: '{name} follows you',
      like_post: '{name} likes “{title}”',
      like_comment: '{name} likes your comment on “{title}”',
      collected: '{name} put “{title}” into a collection',
      new_post: '{name} published “{title}”',
      draft_published: '“{title}” was published as scheduled',
      thread: '{name} replied to a comment on “{title}”',
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
      thread: 'Neue Antwort auf einen Kommentar zu deinem Beitrag',
    },
    sentences: {
      comment: '{name} hat „{title}“ kommentiert',
      reply: '{name} hat auf deinen Kommentar zu „{title}“ geantwortet',
      watched: '{name} hat „{title}“ kommentiert; du beobachtest den Beitrag',
      mention: '{name} hat dich in „{title}“ erwähnt',
      follow: '{name} folgt dir',
      like_post: '{name} gefällt „{title}“',
      like_comment: '{name} gefällt dein Kommentar zu „{title}“',
      collected: '{name} hat „{title}“ in eine Sammlung gelegt',
      new_post: '{name} hat „{title}“ veröffentlicht',
      draft_published: '„{title}“ wurde wie geplant veröffentlicht',
      thread: '{name} hat auf einen Kommentar zu „{title}“ geantwortet',
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

/** Returns what a mail about one notification says. Without a name or title that it needs, only the kind. */
export function sentenceOf(
  texts: Pick<Texts, 'kinds' | 'sentences'>,
  kind: NotificationKind,
  about: { name: string | undefined; title: string | undefined },
): string {
  const sentence: string | undefined = texts.sentences[kind as NamedKind];
  const needed = ['name', 'title'].filter((part) => sentence?.includes(`{${part}}`));
  const parts = new Map(Object.entries({ name: shorten(about.name), title: shorten(about.title) }));
  if (sentence === undefined || needed.some((part) => parts.get(part) === undefined)) return texts.kinds[kind];
  return sentence.replace(/\{(name|title)\}/g, (_, part: string) => parts.get(part)!);
}

/** Returns one line of at most MAX_PART characters, so that a subject stays readable. */
function shorten(text: string | undefined): string | undefined {
  const characters = Array.from(text?.replace(/\s+/g, ' ').trim() ?? '');
  if (characters.length === 0) return undefined;
  return characters.length <= MAX_PART ? characters.join('') : `${characters.slice(0, MAX_PART - 1).join('')}…`;
}
