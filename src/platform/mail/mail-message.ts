import { htmlText } from '../../common/html-text.js';

export type MailMessage = {
  to: string;
  subject: string;
  /** plain sentences, one paragraph each */
  paragraphs: string[];
  /** the link or code for the reader, on a line of its own */
  link?: string;
  /** linked titles, which may be texts of users */
  lists?: { title: string; items: { title: string; link: string }[] }[];
  /** a sentence before the `unsubscribe` link, instead of the line that names the site */
  footer?: string;
  /** a URL that unsubscribes by a POST (RFC 8058) */
  unsubscribe?: string;
  /** id of the account whose standing must still allow the mail when it is sent; absent for mails about the account itself */
  account?: string;
  /** The mail is useless after this time and is not sent. */
  goodUntil: Date;
  /**
   * action beyond the hourly limit of an address: `drop` for mails that anyone can request, `wait` for notifications, and `send` for mails
   * that restore an account and must not be late
   */
  ifTooMany: 'wait' | 'drop' | 'send';
  /** Kind under which the mail is counted, so that mails that others can trigger do not displace other mails. */
  countedAs?: string;
};

export type MailText = Pick<MailMessage, 'subject' | 'paragraphs' | 'link' | 'lists' | 'footer' | 'unsubscribe'>;

/** Returns the text and HTML form of a mail. @param sender the last line, which names the site */
export function renderMail(message: MailText, sender: string): { text: string; html: string } {
  const { paragraphs, link, lists = [], footer = sender, unsubscribe } = message;
  const ending = unsubscribe === undefined ? [footer] : [footer, unsubscribe];
  const inText = lists.flatMap(({ title, items }) => [
    title,
    ...items.map((item) => `- ${item.title}\n  ${item.link}`),
  ]);
  const parts = [...paragraphs, ...(link === undefined ? [] : [link]), ...inText, ...ending];
  const shown = paragraphs.map((paragraph) => `<p>${htmlText(paragraph)}</p>`);
  if (link !== undefined) shown.push(`<p>${linkHtml(htmlText(link))}</p>`);
  for (const { title, items } of lists) {
    const rows = items.map((item) => `<li><a href="${htmlText(item.link)}">${htmlText(item.title)}</a></li>`);
    shown.push(`<p>${htmlText(title)}</p><ul>${rows.join('')}</ul>`);
  }
  shown.push(`<p>${htmlText(footer)}</p>`);
  if (unsubscribe !== undefined) shown.push(`<p>${linkHtml(htmlText(unsubscribe))}</p>`);
  return {
    text: `${parts.join('\n\n')}\n`,
    html: `<!doctype html><html><body style="font-family:sans-serif">${shown.join('')}</body></html>\n`,
  };
}

function linkHtml(escaped: string): string {
  return escaped.startsWith('http') ? `<a href="${escaped}">${escaped}</a>` : `<code>${escaped}</code>`;
}
