import { KIND_OPTIONS, NOTIFICATION_KINDS } from '../notification-kinds.js';
import { nameOfKind, sentenceOf } from './mail-texts.js';

const about = { name: 'Ada {title}', title: 'Looms\r\nBcc: x' };

describe('sentences of notification mails', () => {
  it.each(['en', 'de'] as const)('name the account and the post, on one line (%s)', (language) => {
    for (const kind of NOTIFICATION_KINDS) {
      const isNamed = KIND_OPTIONS[kind].texts[language].length > 1;
      const sentence = sentenceOf(language, kind, about);
      expect([kind, sentence === nameOfKind(language, kind)]).toEqual([kind, !isNamed]);
      expect(sentence).not.toMatch(/[\r\n]/);
    }
    expect(sentenceOf(language, 'comment', about)).toContain('Ada {title}');
    expect(sentenceOf(language, 'comment', about)).toContain('Looms Bcc: x');
  });

  it('have only the kind without the name or title that they need', () => {
    expect(sentenceOf('en', 'comment', { ...about, title: undefined })).toBe(nameOfKind('en', 'comment'));
    expect(sentenceOf('en', 'follow', { ...about, title: undefined })).toBe('Ada {title} follows you');
    expect(sentenceOf('en', 'draft_published', { name: undefined, title: 'Looms' })).toContain('Looms');
  });

  it('shorten long titles by whole characters', () => {
    const sentence = sentenceOf('en', 'like_post', { name: 'Ada', title: '😀'.repeat(200) });

    expect(sentence).toBe(`Ada likes “${'😀'.repeat(79)}…”`);
  });
});
