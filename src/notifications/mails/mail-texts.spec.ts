import { NOTIFICATION_KINDS } from '../notification-id.js';
import { mailTexts, sentenceOf } from './mail-texts.js';

const about = { name: 'Ada {title}', title: 'Looms\r\nBcc: x' };

describe('sentences of notification mails', () => {
  it.each(['en', 'de'])('name the account and the post, on one line (%s)', (language) => {
    const texts = mailTexts(language);

    for (const kind of NOTIFICATION_KINDS) {
      const isNamed = kind in texts.sentences;
      const sentence = sentenceOf(texts, kind, about);
      expect([kind, sentence === texts.kinds[kind]]).toEqual([kind, !isNamed]);
      expect(sentence).not.toMatch(/[\r\n]/);
    }
    expect(sentenceOf(texts, 'comment', about)).toContain('Ada {title}');
    expect(sentenceOf(texts, 'comment', about)).toContain('Looms Bcc: x');
  });

  it('have only the kind without the name or title that they need', () => {
    const texts = mailTexts('en');

    expect(sentenceOf(texts, 'comment', { ...about, title: undefined })).toBe(texts.kinds.comment);
    expect(sentenceOf(texts, 'follow', { ...about, title: undefined })).toBe('Ada {title} follows you');
    expect(sentenceOf(texts, 'draft_published', { name: undefined, title: 'Looms' })).toContain('Looms');
  });

  it('shorten long titles by whole characters', () => {
    const sentence = sentenceOf(mailTexts('en'), 'like_post', { name: 'Ada', title: '😀'.repeat(200) });

    expect(sentence).toBe(`Ada likes “${'😀'.repeat(79)}…”`);
  });
});
