import { htmlText } from '../../common/html-text.js';

export type MailMessage = {
  to: string;
  subject: string;
  /** plain sentences, one paragraph each */
  paragraphs: string[];
  /** the link or code for the reader, on a line of its own */
  link?: string;
  /** the mail is useless after this time, and is not sent */
  goodUntil: Date;
  /**
   * the action beyond the hourly limit of an address: `drop` what anyone can request, `wait` with notifications, and `send` mails that
   * give an account back, which could otherwise come too late
   */
  ifTooMany: 'wait' | 'drop' | 'send';
  /** mails that others can trigger are counted by their kind, so that they do not displace other mails */
  countedAs?: string;
};

export type MailText = Pick<MailMessage, 'subject' | 'paragraphs' | 'link'>;

/** The text and HTML form of a mail. @param sender the last line, which names the site */
export function renderMail({ paragraphs, link }: MailText, sender: string): { text: string; html: string } {
  const parts = [...paragraphs, ...(link === undefined ? [] : [link]), sender];
  const shown = paragraphs.map((paragraph) => `<p>${htmlText(paragraph)}</p>`);
  if (link !== undefined) shown.push(`<p>${linkHtml(htmlText(link))}</p>`);
  shown.push(`<p>${htmlText(sender)}</p>`);
  return {
    text: `${parts.join('\n\n')}\n`,
    html: `<!doctype html><html><body style="font-family:sans-serif">${shown.join('')}</body></html>\n`,
  };
}

function linkHtml(escaped: string): string {
  return escaped.startsWith('http') ? `<a href="${escaped}">${escaped}</a>` : `<code>${escaped}</code>`;
}
