import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../../common/errors.js';
import { htmlText } from '../../common/html-text.js';
import { TextResponse } from '../../platform/http/text-response.js';
import { UsersService } from '../../users/users.service.js';
import { mailTexts, nameOfKind } from './mail-texts.js';
import { SubscriptionsService } from '../subscriptions.service.js';
import { UNSUBSCRIBE_TOKEN, UnsubscribeLinks, type Unsubscription } from './unsubscribe-links.js';

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
};

type Texts = ReturnType<typeof mailTexts>;

/** Pages behind unsubscribe links, in the language of the account. */
@Injectable()
export class UnsubscribeService {
  constructor(
    private readonly links: UnsubscribeLinks,
    private readonly subscriptions: SubscriptionsService,
    private readonly users: UsersService,
  ) {}

  /** Returns the confirmation page. Changes nothing, because mail scanners follow links. @throws CodedError `not_found` */
  async page(token: string): Promise<TextResponse> {
    const { from, texts } = await this.find(token);
    const button = `<form method="post"><button>${htmlText(texts.confirm)}</button></form>`;
    return pageOf(texts, texts.question.replace('{what}', nameOf(from, texts)), button);
  }

  /** Idempotent. The notifications still appear in the list. @throws CodedError `not_found` */
  async unsubscribe(token: string): Promise<TextResponse> {
    const { userId, from, texts } = await this.find(token);
    await this.subscriptions.unsubscribeMails(ObjectId.createFromHexString(userId), from);
    return pageOf(texts, texts.done.replace('{what}', nameOf(from, texts)));
  }

  private async find(token: string): Promise<Unsubscription & { texts: Texts }> {
    const found = UNSUBSCRIBE_TOKEN.pattern.test(token) ? this.links.open(token) : null;
    const user = found && (await this.users.findById(ObjectId.createFromHexString(found.userId)));
    if (found === null || user === null) throw new CodedError('not_found', 'This link is not valid.');
    return { ...found, texts: mailTexts(user.settings.language) };
  }
}

function nameOf(from: Unsubscription['from'], texts: Texts): string {
  return from === 'digest' ? texts.digest : nameOfKind(texts.language, from);
}

function pageOf({ language }: Texts, text: string, more = ''): TextResponse {
  const head = '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">';
  const body = `<p>${htmlText(text)}</p>\n${more}`;
  const html = `<!doctype html>\n<html lang="${language}">\n<head>\n${head}\n</head>\n<body>\n${body}\n</body>\n</html>\n`;
  return new TextResponse(html, HEADERS);
}
