import { KIND_OPTIONS, type NotificationKind } from '../notification-kinds.js';

/** Texts of notification mails, per language. */
type Texts = {
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
    digest: 'Your digest',
    unread: 'Unread notifications:',
    posts: 'Posts of accounts you follow:',
    unsubscribe: 'You chose to get this mail. Unsubscribe:',
    question: 'Stop mails of the kind "{what}"?',
    confirm: 'Unsubscribe',
    done: 'You no longer get mails of the kind "{what}".',
  },
  de: {
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

/** Returns what mails call a kind. */
export function nameOfKind(language: string, kind: NotificationKind): string {
  return KIND_OPTIONS[kind].texts[mailLanguage(language)][0];
}

/** Returns what a mail about one notification says. Without a name or title that it needs, only the kind. */
export function sentenceOf(
  language: string,
  kind: NotificationKind,
  about: { name: string | undefined; title: string | undefined },
): string {
  const [name, sentence] = KIND_OPTIONS[kind].texts[mailLanguage(language)];
  const needed = ['name', 'title'].filter((part) => sentence?.includes(`{${part}}`));
  const parts = new Map(Object.entries({ name: shorten(about.name), title: shorten(about.title) }));
  if (sentence === undefined || needed.some((part) => parts.get(part) === undefined)) return name;
  return sentence.replace(/\{(name|title)\}/g, (_, part: string) => parts.get(part)!);
}

/** Returns one line of at most MAX_PART characters, so that a subject stays readable. */
function shorten(text: string | undefined): string | undefined {
  const characters = Array.from(text?.replace(/\s+/g, ' ').trim() ?? '');
  if (characters.length === 0) return undefined;
  return characters.length <= MAX_PART ? characters.join('') : `${characters.slice(0, MAX_PART - 1).join('')}…`;
}
